// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "wake.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace softdoca::bench::probe {

Waker::Waker(int own_event, int event_of_other)
    : own_event_(own_event), event_of_other_(event_of_other), epoll_(epoll_create1(EPOLL_CLOEXEC))
{
    epoll_event interest{};
    interest.events = EPOLLIN;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, own_event_, &interest);
}

Waker::~Waker()
{
    close(epoll_);
}

void Waker::wake() const
{
    eventfd_write(event_of_other_, 1);
}

void Waker::sleep() const
{
    epoll_event event;
    while (epoll_wait(epoll_, &event, 1, -1) < 1) {
    }
    eventfd_t count = 0;
    eventfd_read(own_event_, &count);
}

void Waker::ask(std::uint64_t num_wakes) const
{
    for (std::uint64_t i = 0; i < num_wakes; ++i) {
        wake();
        sleep();
    }
}

void Waker::answer(std::uint64_t num_wakes) const
{
    for (std::uint64_t i = 0; i < num_wakes; ++i) {
        sleep();
        wake();
    }
}

} // namespace softdoca::bench::probe
