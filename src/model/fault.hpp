// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_error.h>

#include <cstdint>

namespace softdoca {

/// The calls that SOFTDOCA_MODEL_FAULT can make fail, under the names that it uses.
enum class FaultPoint : std::uint8_t { create, open, reg, buf, submit };

/// Counts a call, and says what it is to answer without any effect: a code if the variable asks for
/// one this time (logged at INFO), else SUCCESS. Any thread.
[[nodiscard]] doca_error_t model_fault(FaultPoint point) noexcept;

/// Reads the variable, if it has changed since; then all calls are counted anew. Any thread.
void read_model_faults() noexcept;

} // namespace softdoca
