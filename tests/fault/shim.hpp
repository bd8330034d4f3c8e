// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_error.h>

#include <cstdint>

/// In front of the C API, by the dynamic linker's order: a program that has functions of these
/// names meets them first, and they pass on what they do not fail.
namespace softdoca::test {

/// One function of the C API. What fails is said by the environment: SHIM_FAIL=NAME:N:CODE fails
/// the Nth call (from 1) of NAME, once, without calling the function.
class ShimCall {
public:
    explicit ShimCall(const char *name);
    ShimCall(const ShimCall &) = delete;
    ShimCall &operator=(const ShimCall &) = delete;

    bool fails() noexcept;
    doca_error_t code() const noexcept;
    void *real() const noexcept { return real_; }
    doca_error_t note(doca_error_t result) noexcept
    {
        num_successes_ += result == DOCA_SUCCESS;
        return result;
    }

    const char *name() const noexcept { return name_; }
    std::uint64_t num_calls() const noexcept { return num_calls_; }
    std::uint64_t num_successes() const noexcept { return num_successes_; }
    ShimCall *next() const noexcept { return next_; }

private:
    const char *name_;
    void *real_;
    std::uint64_t num_calls_ = 0, num_successes_ = 0;
    std::uint64_t fails_at_ = 0; ///< 0: never
    ShimCall *next_;
};

/// Prints "call NAME NUMBER" for each that was made.
void print_shim_calls();
/// Says on stderr what was made and not ended; true if there is nothing.
bool is_shim_balanced();

} // namespace softdoca::test
