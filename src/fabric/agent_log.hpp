// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/log_sink.hpp"

namespace softdoca {

/// What the agent thread has to say. A log backend may be the program's own code, which must not
/// run in our thread: lines wait until a thread of the program passes them on. Bounded; the agent
/// never waits.
[[gnu::format(printf, 2, 3)]] void agent_say(LogLevel level, const char *format, ...) noexcept;

/// Writes the lines that wait. Called by threads of the program, in calls that are not hot.
[[gnu::visibility("default")]] void pass_on_agent_log() noexcept;

} // namespace softdoca
