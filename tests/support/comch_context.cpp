// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/comch_context.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include <poll.h>

namespace softdoca::test {

namespace {

const char *name_of(doca_ctx_states state)
{
    switch (state) {
    case DOCA_CTX_STATE_IDLE:
        return "IDLE";
    case DOCA_CTX_STATE_STARTING:
        return "STARTING";
    case DOCA_CTX_STATE_RUNNING:
        return "RUNNING";
    case DOCA_CTX_STATE_STOPPING:
        return "STOPPING";
    }
    return "?";
}

} // namespace

bool sleep_on(doca_pe *pe, Milliseconds limit)
{
    doca_notification_handle_t handle{};
    must(doca_pe_get_notification_handle(pe, &handle));
    pollfd ready{handle, POLLIN, 0};
    const bool is_woken = ::poll(&ready, 1, static_cast<int>(limit.count())) > 0;
    if (is_woken)
        must(doca_pe_clear_notification(pe, handle));
    return is_woken;
}

std::string short_name(doca_error_t code)
{
    const std::string_view name = doca_error_get_name(code), prefix = "DOCA_ERROR_";
    return std::string(name.substr(name.rfind(prefix, 0) == 0 ? prefix.size() : 0));
}

void PrintTo(const SendEnd &end, std::ostream *out)
{
    *out << end.number << " " << doca_error_get_name(end.status);
}

ComchContext::ComchContext(doca_pe *pe)
    : own_pe_(pe == nullptr ? std::make_unique<Pe>() : nullptr),
      pe_(pe == nullptr ? own_pe_->get() : pe)
{
}

void ComchContext::attach()
{
    must(doca_ctx_set_user_data(ctx(), {.ptr = this}));
    must(doca_ctx_set_state_changed_cb(ctx(), changed));
    must(doca_pe_connect_ctx(pe_, ctx()));
}

doca_ctx_states ComchContext::state() const
{
    doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    if (ctx() != nullptr) { // else it was destroyed
        EXPECT_EQ(doca_ctx_get_state(ctx(), &state), DOCA_SUCCESS);
    }
    return state;
}

std::size_t ComchContext::num_inflight() const
{
    std::size_t num = 0;
    if (ctx() != nullptr) {
        EXPECT_EQ(doca_ctx_get_num_inflight_tasks(ctx(), &num), DOCA_SUCCESS);
    }
    return num;
}

Record ComchContext::moves() const
{
    Record moves;
    std::copy_if(record_.begin(), record_.end(), std::back_inserter(moves),
                 [](const std::string &line) { return line.find("->") != std::string::npos; });
    return moves;
}

void ComchContext::progress_until_told(const Line &line) const
{
    constexpr std::chrono::seconds kLongest{60}; // as long as a test may take
    EXPECT_TRUE(progress_until([&] { return line.is_ready(); }, patience(kLongest)));
    while (progress() != 0)
        continue;
}

void ComchContext::come_to_rest()
{
    drop_hooks();
    if (ctx() == nullptr)
        return;
    if (state() != DOCA_CTX_STATE_IDLE)
        (void)stop();
    EXPECT_TRUE(progress_until([this] { return num_inflight() == 0; }));
    free_tasks();
    EXPECT_TRUE(reaches(DOCA_CTX_STATE_IDLE)) << "state " << name_of(state());
    EXPECT_EQ(destroy(), DOCA_SUCCESS);
}

void ComchContext::note(std::string_view what)
{
    if (keeps)
        record_.emplace_back(what);
}

void ComchContext::changed(doca_data user_data, doca_ctx *, doca_ctx_states prev,
                           doca_ctx_states next)
{
    auto &context = *static_cast<ComchContext *>(user_data.ptr);
    context.note(std::string(name_of(prev)) + "->" + name_of(next));
    if (context.on_state)
        context.on_state(prev, next); // last: it may destroy the context
}

} // namespace softdoca::test
