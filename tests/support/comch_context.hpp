// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "support/two_process.hpp"
#include "support/wait_until.hpp"

#include <doca_ctx.h>
#include <doca_pe.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace softdoca::test {

/// True if the engine's handle becomes readable in time; it is cleared then. To be called armed.
[[nodiscard]] bool sleep_on(doca_pe *pe, Milliseconds limit = patience());

/// Without the prefix that all have.
std::string short_name(doca_error_t code);

/// What the four kinds of contexts have in common: an engine, a state, and a record of all that was
/// delivered, as "STARTING->RUNNING", "connect", "message hello", "sent", "send error SHUTDOWN",
/// "received", "receive error SHUTDOWN", "new consumer 1".
/// Hooks are called from callbacks after the record has grown: they must not throw.
class ComchContext {
public:
    ComchContext(const ComchContext &) = delete;
    ComchContext &operator=(const ComchContext &) = delete;

    virtual doca_ctx *ctx() const = 0;
    doca_pe *pe() const { return pe_; }
    doca_ctx_states state() const;
    std::size_t num_inflight() const;
    doca_error_t start() const { return doca_ctx_start(ctx()); }
    doca_error_t stop() const { return doca_ctx_stop(ctx()); }
    /// The test may do it at any time, even in a hook.
    virtual doca_error_t destroy() = 0;

    int progress() const { return doca_pe_progress(pe_); }
    template <typename Condition>
    [[nodiscard]] bool progress_until(Condition condition, Milliseconds limit = patience()) const
    {
        return wait_until(pe_, condition, limit);
    }
    [[nodiscard]] bool reaches(doca_ctx_states state, Milliseconds limit = patience()) const
    {
        return progress_until([&] { return this->state() == state; }, limit);
    }
    /// Progresses until the line has a message or is hung up, and what came before it is delivered.
    void progress_until_told(const Line &line) const;
    /// As programs in event mode do: progress until 0, arm, sleep.
    template <typename Condition>
    [[nodiscard]] bool sleep_until(Condition condition, Milliseconds limit = patience()) const
    {
        const auto end = std::chrono::steady_clock::now() + limit;
        while (true) {
            while (progress() != 0)
                continue;
            if (condition())
                return true;
            if (std::chrono::steady_clock::now() > end)
                return false;
            must(doca_pe_request_notification(pe_));
            if (!sleep_on(pe_, limit))
                return false;
        }
    }

    const Record &record() const { return record_; }
    Record take() { return std::exchange(record_, {}); }
    /// The changes of state in it.
    Record moves() const;

    bool keeps = true; ///< the record, and the lists of the classes below; counts always go on
    bool frees_tasks = true; ///< when they have completed; the hooks get nullptr then
    std::function<void(doca_ctx_states prev, doca_ctx_states next)> on_state;

protected:
    explicit ComchContext(doca_pe *pe); ///< nullptr: an engine of its own
    virtual ~ComchContext() = default;

    /// Sets user data (this) and state callback, and connects it to the engine.
    void attach();
    /// IDLE, whatever the test has left.
    void come_to_rest();
    /// Drops all hooks: what they refer to may be gone.
    virtual void drop_hooks() { on_state = nullptr; }
    virtual void free_tasks() = 0;
    void note(std::string_view what);

private:
    static void changed(doca_data user_data, doca_ctx *, doca_ctx_states prev,
                        doca_ctx_states next);

    std::unique_ptr<Pe> own_pe_;
    doca_pe *pe_;
    Record record_;
};

/// Turns the engines of several contexts until the condition holds.
template <typename Condition>
[[nodiscard]] bool progress_all_until(std::initializer_list<const ComchContext *> contexts,
                                      Condition condition, Milliseconds limit = patience())
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        for (const ComchContext *context : contexts)
            (void)context->progress();
    }
    return true;
}

/// How a send ended, by the number that the test gave it.
struct SendEnd {
    std::uint64_t number;
    doca_error_t status;
    bool operator==(const SendEnd &) const = default;
};
void PrintTo(const SendEnd &end, std::ostream *out);

} // namespace softdoca::test
