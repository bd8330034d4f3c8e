// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include <doca_error.h>

#include <array>
#include <cstddef>

namespace {

struct ErrorText {
    const char *name;
    const char *descr;
};

// Indexed by the code.
constexpr std::array kErrorTexts = {
    ErrorText{"DOCA_SUCCESS", "Success"},
    ErrorText{"DOCA_ERROR_UNKNOWN", "Unknown error"},
    ErrorText{"DOCA_ERROR_NOT_PERMITTED", "Operation not permitted"},
    ErrorText{"DOCA_ERROR_IN_USE", "Resource already in use"},
    ErrorText{"DOCA_ERROR_NOT_SUPPORTED", "Operation not supported"},
    ErrorText{"DOCA_ERROR_AGAIN", "Resource temporarily unavailable, try again"},
    ErrorText{"DOCA_ERROR_INVALID_VALUE", "Invalid input"},
    ErrorText{"DOCA_ERROR_NO_MEMORY", "Memory allocation failure"},
    ErrorText{"DOCA_ERROR_INITIALIZATION", "Resource initialization failure"},
    ErrorText{"DOCA_ERROR_TIME_OUT", "Timer expired waiting for resource"},
    ErrorText{"DOCA_ERROR_SHUTDOWN", "Shut down in process or completed"},
    ErrorText{"DOCA_ERROR_CONNECTION_RESET", "Connection reset by peer"},
    ErrorText{"DOCA_ERROR_CONNECTION_ABORTED", "Connection aborted"},
    ErrorText{"DOCA_ERROR_CONNECTION_INPROGRESS", "Connection in progress"},
    ErrorText{"DOCA_ERROR_NOT_CONNECTED", "Not Connected"},
    ErrorText{"DOCA_ERROR_NO_LOCK", "Unable to acquire required lock"},
    ErrorText{"DOCA_ERROR_NOT_FOUND", "Resource Not Found"},
    ErrorText{"DOCA_ERROR_IO_FAILED", "Input/Output Operation Failed"},
    ErrorText{"DOCA_ERROR_BAD_STATE", "Bad State"},
    ErrorText{"DOCA_ERROR_UNSUPPORTED_VERSION", "Unsupported version"},
    ErrorText{"DOCA_ERROR_OPERATING_SYSTEM", "Operating system call failure"},
    ErrorText{"DOCA_ERROR_DRIVER", "DOCA Driver call failure"},
    ErrorText{"DOCA_ERROR_UNEXPECTED", "An unexpected scenario was detected"},
    ErrorText{"DOCA_ERROR_ALREADY_EXIST", "Resource already exist"},
    ErrorText{"DOCA_ERROR_FULL", "No more space in resource"},
    ErrorText{"DOCA_ERROR_EMPTY", "No entry is available in resource"},
    ErrorText{"DOCA_ERROR_IN_PROGRESS", "Operation is in progress"},
    ErrorText{"DOCA_ERROR_TOO_BIG", "Requested operation too big to be contained"},
    ErrorText{"DOCA_ERROR_AUTHENTICATION", "Authentication failure"},
    ErrorText{"DOCA_ERROR_BAD_CONFIG", "Configuration is not valid"},
    ErrorText{"DOCA_ERROR_SKIPPED", "Result is valid, but some previous output data was dropped"},
    ErrorText{"DOCA_ERROR_DEVICE_FATAL_ERROR", "Device experienced a fatal error"},
};
static_assert(kErrorTexts.size() == DOCA_ERROR_DEVICE_FATAL_ERROR + 1);

constexpr ErrorText kUnrecognized = {"unrecognized error code", "unrecognized error code"};

const ErrorText &text_of(doca_error_t error) noexcept
{
    const auto index = static_cast<std::size_t>(error);
    return index < kErrorTexts.size() ? kErrorTexts[index] : kUnrecognized;
}

} // namespace

extern "C" const char *doca_error_get_name(doca_error_t error)
{
    return text_of(error).name;
}

extern "C" const char *doca_error_get_descr(doca_error_t error)
{
    return text_of(error).descr;
}
