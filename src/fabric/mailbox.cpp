// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/mailbox.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>

namespace softdoca {

void Mailbox::post(std::uint64_t token)
{
    const std::scoped_lock lock(lock_); // also keeps the eventfd open while it is written
    if (is_closed_)
        return;
    if (std::find(tokens_.begin(), tokens_.end(), token) == tokens_.end())
        tokens_.push_back(token);
    has_mail_.store(true); // then the eventfd: the engine arms in the other order
    if (event_.load() < 0)
        return;
    const int event = event_.exchange(-1);
    const std::uint64_t one = 1;
    if (event >= 0)
        (void)!::write(event, &one, sizeof one); // full: it is readable anyway
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
