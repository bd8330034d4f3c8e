// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "ring.hpp"

#include <cstring>

namespace softdoca::bench::probe {

namespace {

alignas(64) char payload[kRingMessageLen];

/// Copies the payload in. False if the ring is full.
template <typename AnyRing>
bool put(AnyRing &ring)
{
    char *const slot = ring.claim();
    if (slot == nullptr)
        return false;
    std::memcpy(slot, payload, AnyRing::kLen);
    ring.publish();
    return true;
}

template <typename AnyRing>
bool take(AnyRing &ring)
{
    const char *const slot = ring.peek();
    if (slot == nullptr)
        return false;
    std::memcpy(payload, slot, AnyRing::kLen);
    asm volatile("" : : "r"(payload) : "memory"); // a copy that nobody reads is made all the same
    ring.release();
    return true;
}

} // namespace

void ring_send(RingBed &bed, std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages;) {
        if (put(bed.one_way))
            ++i;
    }
    while (!bed.one_way.is_drained()) {
    }
}

void ring_receive(RingBed &bed, std::uint64_t num_messages)
{
    for (std::uint64_t i = 0; i < num_messages;) {
        if (take(bed.one_way))
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
