// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/intrusive_list.hpp"
#include "base/process_fd.hpp"
#include "fabric/bell.hpp"
#include "fabric/mailbox.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace softdoca {

class Doorbells;

/// The receiving end of a ring in shared memory. While it is hot the engine looks at it in each
/// turn, and its senders store and do no more; else they ring its bell. Few rings are hot: those
/// that were rung several times while the engine was polled.
class RingWatch {
public:
    explicit RingWatch(BellTarget &target) noexcept : target_(target) {}

    /// mode: the word of the ring that tells its senders, of which 0 is "ring the bell".
    /// may_be_hot: the sender's process takes part in fence_all_processes().
    void set_mode_word(std::atomic<std::uint32_t> &mode, bool may_be_hot) noexcept
    {
        mode_ = &mode;
        may_be_hot_ = may_be_hot;
    }
    /// Something has come when word is greater than seen.
    void expect(const std::atomic<std::uint64_t> &word, std::uint64_t seen) noexcept
    {
        word_ = &word;
        seen_ = seen;
    }
    bool has_come() const noexcept { return word_->load(std::memory_order_acquire) > seen_; }

private:
    friend class Doorbells;

    const std::atomic<std::uint64_t> *word_ = nullptr;
    std::uint64_t seen_ = 0;
    std::atomic<std::uint32_t> *mode_ = nullptr;
    BellTarget &target_;
    bool may_be_hot_ = false;
    bool is_hot_ = false;
    std::uint8_t num_rung_ = 0;    // since the engine last slept,
    std::uint64_t num_sleeps_ = 0; // that is, at this one
    std::uint64_t last_look_ = 0;  // at which something had come
};

/// A sender that waits for room at the other end of a ring. Polled; before the engine sleeps it
/// asks the other end for a bell.
class RoomWaiter : public ListHook<RoomWaiter> {
public:
    /// Is there room now? Makes its context ready if so.
    virtual bool look_for_room() noexcept = 0;
    /// From now on the other end rings when it makes room. False: nobody will ring.
    virtual bool ask_for_bell() noexcept = 0;

protected:
    ~RoomWaiter() = default;
};

/// What wakes a progress engine, or tells it where something has come, so that a turn costs the
/// same whatever the number of connections: hot rings, one bell for each peer process, and the
/// mailbox. Threads: the engine's, but for the mailbox.
class __attribute__((visibility("default"))) Doorbells {
public:
    Doorbells() : mailbox_(std::make_shared<Mailbox>()) {}
    ~Doorbells();
    Doorbells(const Doorbells &) = delete;
    Doorbells &operator=(const Doorbells &) = delete;

    const std::shared_ptr<Mailbox> &mailbox() const noexcept { return mailbox_; }
    /// A target that the mailbox may signal by the token, until forget().
    std::uint64_t introduce(BellTarget &target);
    void forget(std::uint64_t token) noexcept { tokens_.erase(token); }

    /// The bell for that peer, made at the first call. nullptr with errno. is_new: its eventfd must
    /// be watched from now on.
    OwnBell *bell_for(const ProcessId &peer, bool *is_new);
    /// One that is unused, and not watched any more.
    void remove(const OwnBell &bell) noexcept;
    template <typename Visitor>
    void for_each_bell(Visitor &&visit) const
    {
        for (const auto &bell : bells_)
            visit(*bell);
    }

    /// The ring was rung for: its sender pays for each message until it is hot.
    void note_rung(RingWatch &watch) noexcept;
    void remove(RingWatch &watch) noexcept;
    void add(RoomWaiter &waiter) noexcept { waiters_.push_back(waiter); }

    /// Calls target.on_bell() of what may have something, in a bounded number of loads.
    void look() noexcept
    {
        ++num_looks_;
        for (std::uint32_t i = 0; i < num_hot_; ++i)
            if (hot_[i]->has_come()) {
                hot_[i]->last_look_ = num_looks_;
                hot_[i]->target_.on_bell();
            }
        if (num_bells_ != 0)
            serve_bells();
        if (mailbox_->has_mail())
            open_mail();
        if (!waiters_.empty())
            look_for_room();
        if (ticking_.is_open() && num_looks_ % kLooksPerTick == 0)
            tick();
    }

    /// The engine is about to sleep: from now on whatever comes wakes the eventfd of its bell, or
    /// event. Calls on_bell() of what came before that. False: it must not sleep, as something that
    /// is waited for does not wake.
    [[nodiscard]] bool arm(int event) noexcept;
    void disarm() noexcept;

    /// Targets that have to look at something which nobody signals. The timer is readable whenever
    /// one of them is due. False: no descriptor.
    [[nodiscard]] bool start_ticking(BellTarget &target);
    void stop_ticking(BellTarget &target) noexcept;
    int ticking_fd() const noexcept { return ticking_.get(); }
    /// Less often, as it has taken long already.
    void tick_slowly() noexcept;

private:
    static constexpr std::uint32_t kMaxHot = 8;
    static constexpr std::uint32_t kBellsPerLook = 4;
    static constexpr std::uint32_t kWaitersPerLook = 4;
    static constexpr std::uint32_t kRungsToBeHot = 4;
    static constexpr std::uint32_t kLooksPerTick = 64;
    static constexpr std::uint64_t kLooksToCoolDown = 1 << 16;

    void serve_bells() noexcept;
    void open_mail() noexcept;
    void look_for_room() noexcept;
    void tick() noexcept;
    void park_all() noexcept;
    bool make_place() noexcept;
    void cool(std::uint32_t place) noexcept;

    std::array<RingWatch *, kMaxHot> hot_{};
    std::uint32_t num_hot_ = 0;
    std::uint32_t num_bells_ = 0;
    std::uint32_t next_bell_ = 0; // whose turn it is
    std::uint64_t num_looks_ = 0;
    std::uint64_t num_sleeps_ = 0;
    bool is_arming_ = false;
    std::shared_ptr<Mailbox> mailbox_;
    IntrusiveList<RoomWaiter, RoomWaiter> waiters_;
    std::vector<std::unique_ptr<OwnBell>> bells_;
    ProcessFd ticking_;
    bool is_slow_ = false;
    std::vector<BellTarget *> tickers_;
    std::unordered_map<std::uint64_t, BellTarget *> tokens_;
    std::vector<std::uint64_t> mail_;
};

} // namespace softdoca
