// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace softdoca {

/// The receive queue of a Device: frames in the order of their submission. Its memory is had at
/// once, so that neither end allocates; what no frame has touched is not yet real. Threads: as its
/// owner.
class FrameQueue {
public:
    static constexpr std::size_t kMaxFrames = 256;
    static constexpr std::size_t kMaxFrameLen = 9216;

    FrameQueue() : bytes_(std::make_unique_for_overwrite<std::byte[]>(kMaxFrames * kMaxFrameLen)) {}

    bool is_empty() const noexcept { return num_ == 0; }
    bool is_full() const noexcept { return num_ == kMaxFrames; }
    std::size_t front_len() const noexcept { return lens_[first_]; }

    /// Not full; at most kMaxFrameLen bytes.
    void push(std::span<const std::byte> frame) noexcept
    {
        const std::size_t slot = (first_ + num_) % kMaxFrames;
        std::memcpy(at(slot), frame.data(), frame.size());
        lens_[slot] = static_cast<std::uint16_t>(frame.size());
        ++num_;
    }
    /// Not empty; out has room for front_len().
    void pop(std::byte *out) noexcept
    {
        std::memcpy(out, at(first_), front_len());
        first_ = (first_ + 1) % kMaxFrames;
        --num_;
    }

private:
    std::byte *at(std::size_t slot) noexcept { return bytes_.get() + slot * kMaxFrameLen; }

    std::unique_ptr<std::byte[]> bytes_;
    std::array<std::uint16_t, kMaxFrames> lens_{};
    std::size_t first_ = 0;
    std::size_t num_ = 0;
};
static_assert(FrameQueue::kMaxFrameLen <= UINT16_MAX);

} // namespace softdoca
