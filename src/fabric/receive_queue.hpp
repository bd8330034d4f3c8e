// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/slot.hpp"
#include "fabric/status_page.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// The shared memory of a consumer: its posted receives, and staging for what does not go straight
/// into the program's buffers. The consumer makes it; the other side's producers, all threads of
/// one process, write to it.
///
///     ReceiveQueue | slots | staging
///
///     kind      the payload                                              for
///     eager     in the slot                                              up to 256 bytes
///     staged    in staging, from place on, while both sides are copying  more
///     direct    in the posted buffer                                     buffers that both map
///
/// Neither side trusts what the other one writes: the consumer keeps its own record of each slot.
namespace softdoca {

enum class PayloadKind : std::uint16_t { eager = 1, staged, direct };

inline constexpr std::uint32_t kMaxImmLen = 32;
inline constexpr std::uint32_t kEagerSize = 256;

struct ReceiveSlot {
    SlotNumber number;
    std::uint32_t capacity;    ///< consumer: bytes that fit into the buffer
    std::uint32_t len;         ///< producer: bytes of the message
    std::uint64_t place;       ///< consumer: of the buffer in the window; producer: in staging
    std::uint32_t producer_id; ///< producer
    PayloadKind kind;          ///< producer
    std::uint16_t imm_len;     ///< producer
    std::byte imm[kMaxImmLen]; ///< producer
    std::byte payload[kEagerSize];
};
static_assert(sizeof(ReceiveSlot) == 64 + kEagerSize);

/// Of an eager payload. The usual size of benchmarks and packets is unrolled; of the others the
/// compiler must not know that they are short, or it takes `rep movs`, which starts slowly.
inline void copy_eager(std::byte *to, const std::byte *from, std::size_t len) noexcept
{
    if (len == kEagerSize)
        std::memcpy(to, from, kEagerSize);
    else if (len != 0) { // of nothing there may be no address
        asm("" : "+r"(len));
        std::memcpy(to, from, len);
    }
}

struct ReceiveQueue {
    static constexpr std::uint32_t kMagic = 0x51524653; // "SFRQ"
    /// Bytes of staging; positions in it go on counting.
    static constexpr std::uint64_t kStagingSize = 1 << 20;
    static constexpr std::uint64_t kChunkSize = 64 * 1024; ///< that one side copies at a time
    static constexpr std::uint64_t kStagingAlign = 64;
    static constexpr std::uint32_t kMaxSlots = 1u << 20;

    std::uint32_t magic;
    std::uint32_t version;

    /// The consumer's.
    struct alignas(kPageLine) Consumer {
        std::atomic<std::uint32_t> mode;         ///< 0: ring my bell, 1: I look
        std::atomic<std::uint32_t> is_stopping;  ///< 1: nothing is to be sent any more
        std::atomic<std::uint64_t> num_unstaged; ///< staging up to here is free again
    } consumer;
    /// The producers' whose message is being staged.
    struct alignas(kPageLine) Producer {
        std::atomic<std::uint64_t> num_staged; ///< staging up to here is filled
        std::atomic<std::uint32_t> wants_bell; ///< 1: ring when num_unstaged has grown
        std::atomic<std::uint32_t> bit;        ///< of the bell
        std::atomic<std::uint64_t> bell_id;
    } producer;
    /// 1: the peer's program has been told of the consumer. Its control thread's.
    alignas(kPageLine) std::atomic<std::uint32_t> is_known;

    ReceiveSlot *slots() noexcept { return reinterpret_cast<ReceiveSlot *>(this + 1); }
    std::byte *staging(std::uint32_t num_slots) noexcept
    {
        return reinterpret_cast<std::byte *>(slots() + num_slots);
    }

    static bool is_sane(std::uint32_t num_slots) noexcept
    {
        return std::has_single_bit(num_slots) && num_slots <= kMaxSlots;
    }
    static std::size_t memory_size(std::uint32_t num_slots) noexcept
    {
        return sizeof(ReceiveQueue) + num_slots * sizeof(ReceiveSlot) + kStagingSize;
    }
    static std::uint64_t align_up(std::uint64_t position) noexcept
    {
        return (position + kStagingAlign - 1) / kStagingAlign * kStagingAlign;
    }
};

} // namespace softdoca
