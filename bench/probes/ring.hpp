// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// A bare ring between two processes: what a message of 256 B costs that is copied in by one side
/// and out by the other, and nothing else (rows 7b and 9).
namespace softdoca::bench::probe {

/// Fixed slots for one producer and one consumer. Each side keeps its own index, and a copy of the
/// other's that it renews only when the ring looks full or empty. Zeroed memory is an empty ring.
template <std::size_t kSlotLen, std::size_t kNumSlots>
class Ring {
    static_assert((kNumSlots & (kNumSlots - 1)) == 0);

public:
    static constexpr std::size_t kLen = kSlotLen;

    /// The next free slot, or nullptr; to be published.
    char *claim()
    {
        if (producer_.mine - producer_.other == kNumSlots) {
            // pairs with the store in release()
            producer_.other = consumer_.published.load(std::memory_order_acquire);
            if (producer_.mine - producer_.other == kNumSlots)
                return nullptr;
        }
        return slots_[producer_.mine++ % kNumSlots].data;
    }
    void publish() { producer_.published.store(producer_.mine, std::memory_order_release); }

    /// The next filled slot, or nullptr; to be released.
    const char *peek()
    {
        if (consumer_.mine == consumer_.other) {
            // pairs with the store in publish()
            consumer_.other = producer_.published.load(std::memory_order_acquire);
            if (consumer_.mine == consumer_.other)
                return nullptr;
        }
        return slots_[consumer_.mine++ % kNumSlots].data;
    }
    void release() { consumer_.published.store(consumer_.mine, std::memory_order_release); }

    /// Has the consumer released all that was published?
    bool is_drained() const
    {
        return consumer_.published.load(std::memory_order_acquire) == producer_.mine;
    }

private:
    struct alignas(64) Slot {
        char data[kSlotLen];
    };
    struct alignas(64) Side {
        std::atomic<std::uint64_t> published;
        std::uint64_t mine, other;
    };

    Side producer_, consumer_;
    Slot slots_[kNumSlots];
};

constexpr std::size_t kRingMessageLen = 256, kLargeRingMessageLen = 64 * 1024;

struct RingBed {
    Ring<kRingMessageLen, 1024> one_way;
    Ring<kRingMessageLen, 64> there, back;
    Ring<kLargeRingMessageLen, 16> large;
};

void ring_send(RingBed &bed, std::uint64_t num_messages);
void ring_receive(RingBed &bed, std::uint64_t num_messages);
/// The same with long messages, which the receiver copies to as many places as there are slots.
void large_ring_send(RingBed &bed, std::uint64_t num_messages);
void large_ring_receive(RingBed &bed, std::uint64_t num_messages);

/// Round trips, as the side that begins and as the other.
void ring_ask(RingBed &bed, std::uint64_t num_messages);
void ring_answer(RingBed &bed, std::uint64_t num_messages);

} // namespace softdoca::bench::probe
