// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/doorbells.hpp"

#include "base/membarrier.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

namespace softdoca {

namespace {

/// Before the last look the store that sends senders to the bell must be seen by all of them.
void fence_senders(bool has_hot_ones) noexcept
{
    if (has_hot_ones)
        fence_all_processes(); // they do not fence
    else
        std::atomic_thread_fence(std::memory_order_seq_cst); // they fence themselves
}

} // namespace

Doorbells::~Doorbells()
{
    mailbox_->close();
}

std::uint64_t Doorbells::introduce(BellTarget &target)
{
    static std::atomic<std::uint64_t> num_made{0};
    const std::uint64_t token = ++num_made;
    tokens_.emplace(token, &target);
    return token;
}

OwnBell *Doorbells::bell_for(const ProcessId &peer, bool *is_new)
{
    *is_new = false;
    for (const auto &bell : bells_)
        if (bell->peer() == peer)
            return bell.get();
    bells_.reserve(bells_.size() + 1);
    auto bell = OwnBell::create(peer);
    if (bell == nullptr)
        return nullptr;
    *is_new = true;
    bells_.push_back(std::move(bell));
    num_bells_ = static_cast<std::uint32_t>(bells_.size());
    return bells_.back().get();
}

void Doorbells::remove(const OwnBell &bell) noexcept
{
    std::erase_if(bells_, [&bell](const auto &each) { return each.get() == &bell; });
    num_bells_ = static_cast<std::uint32_t>(bells_.size());
    next_bell_ = 0;
}

void Doorbells::note_rung(RingWatch &watch) noexcept
{
    if (watch.is_hot_ || !watch.may_be_hot_ || is_arming_)
        return;
    if (watch.num_sleeps_ != num_sleeps_)
        watch.num_rung_ = 0;
    watch.num_sleeps_ = num_sleeps_;
    if (++watch.num_rung_ < kRungsToBeHot)
        return;
    watch.num_rung_ = 0;
    if (num_hot_ == kMaxHot && !make_place())
        return;
    watch.is_hot_ = true;
    watch.last_look_ = num_looks_;
    watch.mode_->store(1, std::memory_order_relaxed); // a sender that sees it late rings in vain
    hot_[num_hot_++] = &watch;
}

/// The hot ring that was quiet for longest goes back to its bell.
bool Doorbells::make_place() noexcept
{
    const auto coldest =
        std::min_element(hot_.begin(), hot_.begin() + num_hot_, [](const auto *a, const auto *b) {
            return a->last_look_ < b->last_look_;
        });
    if (num_looks_ - (*coldest)->last_look_ < kLooksToCoolDown)
        return false;
    RingWatch &watch = **coldest;
    cool(static_cast<std::uint32_t>(coldest - hot_.begin()));
    fence_senders(true);
    if (watch.has_come())
        watch.target_.on_bell();
    return true;
}

void Doorbells::cool(std::uint32_t place) noexcept
{
    hot_[place]->mode_->store(0, std::memory_order_relaxed);
    hot_[place]->is_hot_ = false;
    hot_[place] = hot_[--num_hot_];
}

void Doorbells::remove(RingWatch &watch) noexcept
{
    for (std::uint32_t i = 0; i < num_hot_; ++i)
        if (hot_[i] == &watch) {
            cool(i);
            return;
        }
}

void Doorbells::serve_bells() noexcept
{
    const std::uint32_t num = std::min(num_bells_, kBellsPerLook);
    for (std::uint32_t i = 0; i < num; ++i) {
        next_bell_ = next_bell_ + 1 < num_bells_ ? next_bell_ + 1 : 0;
        OwnBell &bell = *bells_[next_bell_];
        if (bell.has_rung())
            bell.serve();
    }
}

void Doorbells::open_mail() noexcept
{
    mailbox_->take(mail_);
    for (const std::uint64_t token : mail_)
        if (const auto found = tokens_.find(token); found != tokens_.end())
            found->second->on_bell();
    mail_.clear();
}

void Doorbells::look_for_room() noexcept
{
    for (std::uint32_t i = 0; i < kWaitersPerLook && !waiters_.empty(); ++i) {
        RoomWaiter &waiter = waiters_.front();
        if (waiter.look_for_room())
            static_cast<ListHook<RoomWaiter> &>(waiter).unlink();
        else
            waiters_.rotate();
    }
}

bool Doorbells::arm(int event) noexcept
{
    ++num_sleeps_;
    is_arming_ = true;
    mailbox_->arm(event);
    for (const auto &bell : bells_)
        bell->arm();
    const bool has_hot_ones = num_hot_ != 0;
    std::array<RingWatch *, kMaxHot> parked = hot_;
    const std::uint32_t num_parked = num_hot_;
    park_all();
    bool may_sleep = true;
    waiters_.for_each(
        [&may_sleep](RoomWaiter &waiter) { may_sleep = waiter.ask_for_bell() && may_sleep; });
    fence_senders(has_hot_ones || !waiters_.empty());
    for (std::uint32_t i = 0; i < num_parked; ++i)
        if (parked[i]->has_come())
            parked[i]->target_.on_bell();
    for (const auto &bell : bells_)
        if (bell->has_rung())
            bell->serve();
    if (mailbox_->has_mail())
        open_mail();
    if (ticking_.is_open())
        tick();
    waiters_.for_each([](RoomWaiter &waiter) { (void)waiter.look_for_room(); });
    is_arming_ = false;
    return may_sleep;
}

void Doorbells::park_all() noexcept
{
    while (num_hot_ != 0)
        cool(num_hot_ - 1);
}

void Doorbells::disarm() noexcept
{
    for (const auto &bell : bells_)
        bell->disarm();
    mailbox_->disarm();
}

bool Doorbells::start_ticking(BellTarget &target)
{
    tickers_.reserve(tickers_.size() + 1);
    if (!ticking_.is_open()) {
        ticking_ = ProcessFd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
        if (!ticking_.is_open())
            return false;
    }
    tickers_.push_back(&target);
    constexpr itimerspec kQuick{{0, 20'000'000}, {0, 20'000'000}};
    ::timerfd_settime(ticking_.get(), 0, &kQuick, nullptr);
    is_slow_ = false;
    return true;
}

void Doorbells::tick_slowly() noexcept
{
    constexpr itimerspec kSlow{{0, 200'000'000}, {0, 200'000'000}};
    if (!is_slow_)
        ::timerfd_settime(ticking_.get(), 0, &kSlow, nullptr);
    is_slow_ = true;
}

void Doorbells::stop_ticking(BellTarget &target) noexcept
{
    std::erase(tickers_, &target);
    if (tickers_.empty())
        ticking_.reset();
}

void Doorbells::tick() noexcept
{
    std::uint64_t count;
    if (::read(ticking_.get(), &count, sizeof count) != sizeof count)
        return;
    for (std::size_t i = 0; i < tickers_.size(); ++i) // a target may stop ticking
        tickers_[i]->on_bell();
}

} // namespace softdoca
