// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/mailbox.hpp"

#include "base/wake_event.hpp"

#include <algorithm>
#include <mutex>

namespace softdoca {

void Mailbox::post(std::uint64_t token)
{
    const std::scoped_lock lock(lock_); // also keeps the eventfd open while it is woken
    if (is_closed_)
        return;
    if (std::find(tokens_.begin(), tokens_.end(), token) == tokens_.end())
        tokens_.push_back(token);
    has_mail_.store(true); // then the eventfd: the engine arms in the other order
    if (event_.load() < 0)
        return;
    if (const int event = event_.exchange(-1); event >= 0)
        (void)wake(event);
}

void Mailbox::take(std::vector<std::uint64_t> &tokens) noexcept
{
    const std::scoped_lock lock(lock_);
    has_mail_.store(false, std::memory_order_relaxed);
    tokens.swap(tokens_);
}

void Mailbox::close() noexcept
{
    const std::scoped_lock lock(lock_);
    is_closed_ = true;
    event_.store(-1);
}

} // namespace softdoca
