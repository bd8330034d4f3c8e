// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace softdoca {

/// Remembers which object has already spoken at which place in the code, in a fixed number of
/// slots. A new pair that finds its slots taken pushes one out, and the pair that stood there may
/// speak again. Threads: any. No lock, so a child forked while another thread logs can still speak.
class OnceTable {
public:
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    /// May the object speak at this place? Yes the first time, and when its last yes was given
    /// `period` ago. Of several threads that ask at once, one gets the yes.
    bool claim(const void *object, const char *file, std::uint64_t line, std::int64_t now,
               std::int64_t period = kNever) noexcept
    {
        is_empty_.store(false);
        const std::uint64_t key = key_of(object, file, line);
        if (Slot *slot = find(key); slot != nullptr) {
            std::int64_t last = slot->spoke_at.load();
            return now - last >= period && slot->spoke_at.compare_exchange_strong(last, now);
        }
        for (std::size_t i = 0; i < kWindow; i++) {
            Slot &slot = at(key, i);
            // Read first: if another thread claims the new entry before us, our exchange fails.
            std::int64_t last = slot.spoke_at.load();
            std::uint64_t found = 0;
            const bool is_new = slot.key.compare_exchange_strong(found, key);
            if (is_new || found == key)
                return (is_new || now - last >= period) &&
                       slot.spoke_at.compare_exchange_strong(last, now);
        }
        Slot &victim = at(key, next_victim_.fetch_add(1) % kWindow);
        victim.key.store(key);
        victim.spoke_at.store(now);
        return true;
    }

    /// Drops what the object has said everywhere.
    void forget(const void *object) noexcept
    {
        if (is_empty_.load()) // the normal program: nothing was ever refused
            return;
        for (Slot &slot : slots_) {
            std::uint64_t key = slot.key.load();
            if (key >> 32 == hash(reinterpret_cast<std::uintptr_t>(object)) >> 32)
                slot.key.compare_exchange_strong(key, 0);
        }
    }

private:
    // All accesses are sequentially consistent: they are rare, and the order of the two matters.
    struct Slot {
        std::atomic<std::uint64_t> key{0}; // object's hash, place's hash; 0: free
        std::atomic<std::int64_t> spoke_at{0};
    };
    static constexpr std::size_t kNumSlots = 1024;
    static constexpr std::size_t kWindow = 16; // slots in which a key may stand

    static std::uint64_t hash(std::uint64_t value) noexcept
    {
        value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15U;
        value = (value ^ (value >> 29)) * 0xd6e8feb86659fd93U;
        return value ^ (value >> 32);
    }

    static std::uint64_t key_of(const void *object, const char *file, std::uint64_t line) noexcept
    {
        const std::uint64_t place = hash(reinterpret_cast<std::uintptr_t>(file) + hash(line));
        const std::uint64_t upper = hash(reinterpret_cast<std::uintptr_t>(object)) >> 32;
        return upper << 32 | (place & 0xffffffff) | 1;
    }

    Slot &at(std::uint64_t key, std::size_t i) noexcept
    {
        return slots_[(hash(key) + i) % kNumSlots];
    }
    Slot *find(std::uint64_t key) noexcept
    {
        for (std::size_t i = 0; i < kWindow; i++) {
            if (at(key, i).key.load() == key)
                return &at(key, i);
        }
        return nullptr;
    }

    std::atomic<bool> is_empty_{true};
    std::atomic<std::size_t> next_victim_{0};
    std::array<Slot, kNumSlots> slots_{};
};

} // namespace softdoca
