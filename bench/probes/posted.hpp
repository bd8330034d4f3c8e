// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// The least that posted receives can cost between two processes (row 7): the receiver posts
/// buffers in shared memory, the sender copies once, straight into the oldest of them, and both
/// sides call back through a pointer. No index is shared: a sequence number in each slot says whose
/// turn it is, and the number of posts bounds both rings.
namespace softdoca::bench::probe {

constexpr std::size_t kPostedMessageLen = 256;
constexpr std::size_t kNumPosted = 128;

struct alignas(64) PostedSlot {
    std::uint64_t offset;
    std::uint32_t len, task;
    char unused[40];
    std::atomic<std::uint64_t> sequence;
};

/// Zeroed memory is a bed where nothing is posted.
struct PostedBed {
    static constexpr std::size_t kNumSlots = 2 * kNumPosted;

    PostedSlot posts[kNumSlots];
    PostedSlot arrivals[kNumSlots];
    alignas(4096) char buffers[kNumPosted * kPostedMessageLen];
};

class PostedSender {
public:
    explicit PostedSender(PostedBed &bed);

    void send(std::uint64_t num_messages);

private:
    bool send_one();

    PostedBed &bed_;
    std::uint64_t num_sent_ = 0;
    void (*on_sent_)(void *);
    alignas(64) char payload_[kPostedMessageLen] = {};
};

class PostedReceiver {
public:
    /// Posts all buffers.
    explicit PostedReceiver(PostedBed &bed);

    void receive(std::uint64_t num_messages);

private:
    void post(std::uint32_t task);
    bool receive_one();

    PostedBed &bed_;
    std::uint64_t num_posted_ = 0, num_received_ = 0;
    void (*on_received_)(void *);
};

} // namespace softdoca::bench::probe
