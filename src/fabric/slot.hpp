// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <atomic>
#include <cstdint>

/// Rings of slots in shared memory, in which each slot carries a number that tells whose it is: no
/// index is shared, so each side touches only the lines that it uses anyway. The n-th message of a
/// ring of N slots is in slot n % N, in round r = n / N:
///
///     4r      posted     the receiver's room for one message; the sender may fill it
///     4r + 1  filled     the sender's message
///     4r + 2  withdrawn  the receiver took its room back; the sender passes over it
///     4r + 3  empty      the sender took its message back; the receiver passes over it
///     less    not posted yet
///
/// The message is stored before the number (release), and read after it (acquire). New memory is
/// all zeros: posted, in a ring whose rounds begin with 0; not posted, where they begin with 1.
namespace softdoca {

enum class SlotUse : std::uint64_t { posted = 0, filled = 1, withdrawn = 2, empty = 3 };

constexpr std::uint64_t slot_number(std::uint64_t round, SlotUse use) noexcept
{
    return 4 * round + static_cast<std::uint64_t>(use);
}

using SlotNumber = std::atomic<std::uint64_t>;
static_assert(SlotNumber::is_always_lock_free);

} // namespace softdoca
