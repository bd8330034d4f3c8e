// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "ring.hpp"

#include <cstring>
#include <iterator>

namespace softdoca::bench::probe {

namespace {

alignas(64) char payload[kRingMessageLen];
alignas(4096) char large_payloads[16][kLargeRingMessageLen];

/// Copies the payload in. False if the ring is full.
template <typename AnyRing>
bool put(AnyRing &ring, const char *from = payload)
{
    char *const slot = ring.claim();
    if (slot == nullptr)
        return false;
    std::memcpy(slot, from, AnyRing::kLen);
    ring.publish();
    return true;
}

template <typename AnyRing>
bool take(AnyRing &ring, char *to = payload)
{
    const char *const slot = ring.peek();
    if (slot == nullptr)
        return false;
    std::memcpy(to, slot, AnyRing::kLen);
    asm volatile("" : : "r"(to) : "memory"); // a copy that nobody reads is made all the same
    ring.release();
    return true;
}

template <typename AnyRing>
void send(AnyRing &ring, const char *from, std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages;) {
        if (put(ring, from))
            ++i;
    }
    while (!ring.is_drained()) {
    }
}

} // namespace

void ring_send(RingBed &bed, std::uint64_t num_messages)
{
    send(bed.one_way, payload, num_messages);
}

void ring_receive(RingBed &bed, std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages;) {
        if (take(bed.one_way))
            ++i;
    }
}

void large_ring_send(RingBed &bed, std::uint64_t num_messages)
{
    send(bed.large, large_payloads[0], num_messages);
}

void large_ring_receive(RingBed &bed, std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages;) {
        if (take(bed.large, large_payloads[i % std::size(large_payloads)]))
            ++i;
    }
}

void ring_ask(RingBed &bed, std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages; ++i) {
        put(bed.there); // never full: one message is under way
        while (!take(bed.back)) {
        }
    }
}

void ring_answer(RingBed &bed, std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages; ++i) {
        while (!take(bed.there)) {
        }
        put(bed.back);
    }
}

} // namespace softdoca::bench::probe
