// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

namespace softdoca {

/// A global that is ready before any constructor runs and is never destroyed: threads of the
/// program may still use the library while the process exits.
template <typename T>
union NeverDestroyed {
    constexpr NeverDestroyed() noexcept : value{} {}
    ~NeverDestroyed() {}

    T *operator->() noexcept { return &value; }

    T value;
};

} // namespace softdoca
