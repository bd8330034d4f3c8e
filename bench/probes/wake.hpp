// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstdint>

/// What it costs at the least to wake another process that sleeps in epoll_wait: write an eventfd,
/// wait, read it (row 15).
namespace softdoca::bench::probe {

/// One side of two processes that wake each other in turn.
class Waker {
public:
    /// Two eventfds: one for this side to sleep on, one to wake the other. Stay the caller's.
    Waker(int own_event, int event_of_other);
    ~Waker();
    Waker(const Waker &) = delete;
    Waker &operator=(const Waker &) = delete;

    /// Round trips, as the side that begins and as the other.
    void ask(std::uint64_t num_wakes) const;
    void answer(std::uint64_t num_wakes) const;

private:
    void wake() const;
    void sleep() const;

    int own_event_, event_of_other_, epoll_;
};

} // namespace softdoca::bench::probe
