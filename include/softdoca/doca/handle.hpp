// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Owners of C objects, and what is said when one cannot be destroyed.

#pragma once

#include "error.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>

namespace doca {

/// Gets one line, without an end of line, about each object that could not be ended: it is left as
/// it is (leaked), because whatever still uses it must not meet freed memory. Any thread.
using Complaint = void (*)(const char *line) noexcept;

namespace detail {

inline void complain_to_stderr(const char *line) noexcept
{
    (void)std::fprintf(stderr, "doca.hpp: %s\n", line);
}

inline std::atomic<Complaint> complaint{complain_to_stderr};
inline std::atomic<std::chrono::milliseconds> stop_patience{std::chrono::seconds(5)};

/// So that a time may be added to it: nobody waits longer than a year.
inline std::chrono::milliseconds bounded(std::chrono::milliseconds limit) noexcept
{
    return std::clamp<std::chrono::milliseconds>(limit, std::chrono::milliseconds(0),
                                                 std::chrono::hours(24 * 365));
}

inline void complain(const char *call, const void *object, doca_error_t code,
                     const char *remedy) noexcept
{
    char line[256];
    (void)std::snprintf(line, sizeof(line), "%s(%p): %s; %s", call, object,
                        doca_error_get_name(code), remedy);
    complaint.load()(line);
}

/// A text as an argument of a template.
template <std::size_t num>
struct Literal {
    constexpr Literal(const char (&from)[num]) { std::copy_n(from, num, text); }
    char text[num];
};

/// A destructor has one chance only, so a refusal that passes must not leak the object.
inline constexpr int kMaxTries = 3;

template <auto destroy, Literal name>
struct Destroy {
    template <typename T>
    void operator()(T *object) const noexcept
    {
        doca_error_t code = DOCA_SUCCESS;
        for (int i = 0; i < kMaxTries; ++i) {
            code = destroy(object);
            if (code == DOCA_SUCCESS)
                return;
        }
        complain(name.text, object, code, "it is leaked; release what still uses it first");
    }
};

/// Owns a C object.
template <typename T, auto destroy, Literal name>
using Handle = std::unique_ptr<T, Destroy<destroy, name>>;

/// Makes a C object: create(arguments..., &object).
template <typename Owner, typename Create, typename... Args>
result<Owner> make(const char *call, Create create, Args... args) noexcept
{
    typename Owner::pointer object = nullptr;
    const doca_error_t code = create(args..., &object);
    if (code != DOCA_SUCCESS)
        return Failure{code, call};
    return Owner(object);
}

} // namespace detail

/// Where complaints go; stderr at first.
inline void set_complaint(Complaint complaint) noexcept
{
    detail::complaint.store(complaint);
}

/// How long a destructor progresses for its context to become IDLE; 5 s at first.
inline void set_stop_patience(std::chrono::milliseconds patience) noexcept
{
    detail::stop_patience.store(patience);
}

} // namespace doca
