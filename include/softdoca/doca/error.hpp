// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Errors. Each fallible function comes in two forms: the plain one throws doca::Error; the one
/// that takes std::nothrow first returns a doca::result and throws nothing.

#pragma once

#include <doca_error.h>

#include <cassert>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace doca {

/// Which call of the C API answered what.
struct Failure {
    doca_error_t code = DOCA_SUCCESS;
    const char *call = ""; ///< a literal: "doca_mmap_start"
};

/// The exception of this layer.
class Error : public std::exception {
public:
    explicit Error(Failure failure) noexcept : failure_(failure)
    {
        (void)std::snprintf(text_, sizeof(text_), "%s: %s (%s)", failure.call,
                            doca_error_get_name(failure.code), doca_error_get_descr(failure.code));
    }

    doca_error_t code() const noexcept { return failure_.code; }
    /// The call that failed, a literal.
    const char *call() const noexcept { return failure_.call; }
    /// As "doca_mmap_start: DOCA_ERROR_BAD_STATE (...)".
    const char *what() const noexcept override { return text_; }

private:
    Failure failure_;
    char text_[192];
};

/// A value, or why there is none.
template <typename T>
class [[nodiscard]] result {
public:
    result(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : value_(std::move(value)) {}
    result(Failure failure) noexcept : failure_(failure) { assert(failure.code != DOCA_SUCCESS); }

    explicit operator bool() const noexcept { return value_.has_value(); }
    /// DOCA_SUCCESS if there is a value.
    doca_error_t code() const noexcept { return failure_.code; }
    Failure failure() const noexcept { return failure_; }

    /// Only if there is a value.
    T &operator*() &noexcept { return *value_; }
    const T &operator*() const &noexcept { return *value_; }
    T &&operator*() &&noexcept { return std::move(*value_); }
    T *operator->() noexcept { return &*value_; }
    const T *operator->() const noexcept { return &*value_; }

    /// Throws doca::Error if there is none.
    T value() &&
    {
        if (!value_)
            throw Error(failure_);
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
    Failure failure_;
};

template <>
class [[nodiscard]] result<void> {
public:
    result() noexcept = default;
    result(Failure failure) noexcept : failure_(failure) {}

    explicit operator bool() const noexcept { return failure_.code == DOCA_SUCCESS; }
    doca_error_t code() const noexcept { return failure_.code; }
    Failure failure() const noexcept { return failure_; }
    /// Throws doca::Error if it failed.
    void value() const
    {
        if (failure_.code != DOCA_SUCCESS)
            throw Error(failure_);
    }

private:
    Failure failure_;
};

namespace detail {

inline result<void> checked(doca_error_t code, const char *call) noexcept
{
    return Failure{code, call};
}

/// For starts and stops, which may end later.
inline result<void> checked_or_in_progress(doca_error_t code, const char *call) noexcept
{
    return Failure{code == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : code, call};
}

/// Lets no exception out: memory is all that our own code can lack.
template <typename Function>
auto no_throw(Function &&function) noexcept -> decltype(function())
{
    try {
        return function();
    } catch (const Error &error) {
        return Failure{error.code(), error.call()};
    } catch (...) {
        return Failure{DOCA_ERROR_NO_MEMORY, "operator new"};
    }
}

} // namespace detail

} // namespace doca
