// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include <softdoca/model.h>

#include <array>
#include <cstddef>

namespace {

struct ErrorAdvice {
    softdoca_error_class error_class;
    const char *text;
};

constexpr auto kNone = SOFTDOCA_ERROR_CLASS_NONE;
constexpr auto kArgument = SOFTDOCA_ERROR_CLASS_ARGUMENT;
constexpr auto kResource = SOFTDOCA_ERROR_CLASS_RESOURCE;
constexpr auto kTransient = SOFTDOCA_ERROR_CLASS_TRANSIENT;

// Indexed by the code.
constexpr std::array kAdvice = {
    /* SUCCESS */ ErrorAdvice{kNone, "There is nothing to do."},
    /* UNKNOWN */
    ErrorAdvice{kResource, "Look into the log for the cause, release what you hold, and start "
                           "again from a known state."},
    /* NOT_PERMITTED */
    ErrorAdvice{kArgument, "A rule of the object or a missing access right forbids the call; ask "
                           "for the right when the memory is registered, or leave the call out."},
    /* IN_USE */
    ErrorAdvice{kResource, "Something still uses the object; release that first, children before "
                           "parents, and call again."},
    /* NOT_SUPPORTED */
    ErrorAdvice{kArgument, "This device, side or release does not offer it; ask the capability "
                           "before, and choose another way."},
    /* AGAIN */
    ErrorAdvice{kTransient, "A queue is full or empty at the moment; make progress and call again, "
                            "a bounded number of times."},
    /* INVALID_VALUE */
    ErrorAdvice{kArgument, "An argument is NULL, out of range or no live handle; mend the call, "
                           "since repeating it cannot help."},
    /* NO_MEMORY */
    ErrorAdvice{kResource, "Memory, a quota or a pool is used up; release something or configure "
                           "more, and call again."},
    /* INITIALIZATION */
    ErrorAdvice{kResource, "A start could not get what it needs; release resources, and start "
                           "again from the state IDLE."},
    /* TIME_OUT */
    ErrorAdvice{kTransient, "It took longer than the limit; make progress and try again, a bounded "
                            "number of times."},
    /* SHUTDOWN */
    ErrorAdvice{kResource, "The context is stopping and gave the task back; start it again before "
                           "you submit more."},
    /* CONNECTION_RESET */
    ErrorAdvice{kTransient, "The other side has gone; end this connection and connect again, a "
                            "bounded number of times."},
    /* CONNECTION_ABORTED */
    ErrorAdvice{kTransient, "The connection was given up; connect again, a bounded number of "
                            "times."},
    /* CONNECTION_INPROGRESS */
    ErrorAdvice{kTransient, "This is not a failure: the connection is being made, so make progress "
                            "until it is there, within a time limit."},
    /* NOT_CONNECTED */
    ErrorAdvice{kResource, "Connect first, a context to its progress engine or a client to its "
                           "server, and call again."},
    /* NO_LOCK */
    ErrorAdvice{kTransient, "A lock was taken by somebody else; try again, a bounded number of "
                            "times."},
    /* NOT_FOUND */
    ErrorAdvice{kArgument, "No such device, member or address exists here; look at what there is "
                           "(doca_caps --list-devs) and ask for that."},
    /* IO_FAILED */
    ErrorAdvice{kTransient, "A transfer failed and may be tried again, a bounded number of times; "
                            "a failed DMA task also stops its context, so there begin with a "
                            "restart of the context."},
    /* BAD_STATE */
    ErrorAdvice{kResource, "The object is not in the right state; go through its states in order, "
                           "and call again."},
    /* UNSUPPORTED_VERSION */
    ErrorAdvice{kArgument, "A structure or peer is of another version; build both sides with the "
                           "same release."},
    /* OPERATING_SYSTEM */
    ErrorAdvice{kResource, "A system call failed; see the log for which, give the process what it "
                           "lacks (ulimit), and call again."},
    /* DRIVER */
    ErrorAdvice{kResource, "The layer below failed, often because the other process has ended; "
                           "restart what it served, and call again."},
    /* UNEXPECTED */
    ErrorAdvice{kResource, "An internal check failed; note the log lines, release the object, and "
                           "begin again."},
    /* ALREADY_EXIST */
    ErrorAdvice{kArgument, "The thing to be made is there already; use that one, or release it "
                           "before you make another."},
    /* FULL */
    ErrorAdvice{kResource, "There is no room; take something out, and call again."},
    /* EMPTY */
    ErrorAdvice{kResource, "Nothing is left; give something back, and call again."},
    /* IN_PROGRESS */
    ErrorAdvice{kTransient, "This is not a failure: the operation goes on, so make progress until "
                            "it ends, within a time limit."},
    /* TOO_BIG */
    ErrorAdvice{kArgument, "The request is larger than the limit; divide it, or give a larger "
                           "buffer."},
    /* AUTHENTICATION */
    ErrorAdvice{kArgument, "The other side could not prove who it is; give both sides the same "
                           "key, since repeating the call cannot help."},
    /* BAD_CONFIG */
    ErrorAdvice{kArgument, "The configuration cannot work; correct it before the start."},
    /* SKIPPED */
    ErrorAdvice{kResource, "The result is valid, but earlier output was lost; read more often, or "
                           "give more room."},
    /* DEVICE_FATAL_ERROR */
    ErrorAdvice{kResource, "The device cannot be used any more; release everything on it, close it "
                           "and open it again."},
};
static_assert(kAdvice.size() == DOCA_ERROR_DEVICE_FATAL_ERROR + 1);

constexpr ErrorAdvice kNoCode = {kResource, "This number is no error code of DOCA; look for a "
                                            "variable that was not set."};

const ErrorAdvice &advice_of(doca_error_t error) noexcept
{
    const auto index = static_cast<std::size_t>(error);
    return index < kAdvice.size() ? kAdvice[index] : kNoCode;
}

} // namespace

extern "C" softdoca_error_class softdoca_error_classify(doca_error_t error)
{
    return advice_of(error).error_class;
}

extern "C" const char *softdoca_error_advice(doca_error_t error)
{
    return advice_of(error).text;
}
