// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "posted.hpp"

#include <cstring>

namespace softdoca::bench::probe {

namespace {

std::uint64_t num_callbacks;

[[gnu::noinline]] void count_callback(void *)
{
    num_callbacks++;
}

/// Volatile, so that the compiler does not know whom it calls.
void (*volatile any_callback)(void *) = count_callback;

/// Lets the other side's stores through while there is nothing to do.
void relax()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
}

PostedSlot &slot_of(PostedSlot (&slots)[PostedBed::kNumSlots], std::uint64_t index)
{
    return slots[index % PostedBed::kNumSlots];
}

} // namespace

PostedSender::PostedSender(PostedBed &bed) : bed_(bed), on_sent_(any_callback) {}

bool PostedSender::send_one()
{
    const PostedSlot &post = slot_of(bed_.posts, num_sent_);
    // pairs with the store in post()
    if (post.sequence.load(std::memory_order_acquire) != num_sent_ + 1)
        return false;
    std::memcpy(bed_.buffers + post.offset, payload_, kPostedMessageLen);
    PostedSlot &arrival = slot_of(bed_.arrivals, num_sent_);
    arrival.task = post.task;
    arrival.len = kPostedMessageLen;
    arrival.sequence.store(++num_sent_, std::memory_order_release);
    on_sent_(nullptr);
    return true;
}

void PostedSender::send(std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages;) {
        if (send_one())
            ++i;
        else
            relax();
    }
}

PostedReceiver::PostedReceiver(PostedBed &bed) : bed_(bed), on_received_(any_callback)
{
    for (std::uint32_t task = 0; task < kNumPosted; ++task)
        post(task);
}

void PostedReceiver::post(std::uint32_t task)
{
    PostedSlot &slot = slot_of(bed_.posts, num_posted_);
    slot.offset = std::uint64_t{task} * kPostedMessageLen;
    slot.len = kPostedMessageLen;
    slot.task = task;
    slot.sequence.store(++num_posted_, std::memory_order_release);
}

bool PostedReceiver::receive_one()
{
    const PostedSlot &arrival = slot_of(bed_.arrivals, num_received_);
    // pairs with the store in send_one()
    if (arrival.sequence.load(std::memory_order_acquire) != num_received_ + 1)
        return false;
    const std::uint32_t task = arrival.task;
    ++num_received_;
    on_received_(nullptr);
    post(task);
    return true;
}

void PostedReceiver::receive(std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages;) {
        if (receive_one())
            ++i;
    }
}

} // namespace softdoca::bench::probe
