// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

namespace softdoca {

/// Our own version. Processes of two releases do not talk to each other.
inline constexpr char kRelease[] = SOFTDOCA_VERSION;

} // namespace softdoca
