// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

namespace softdoca {

/// The version of this software, as in the file VERSION. The API level is doca_version_runtime().
[[gnu::visibility("default")]] const char *release() noexcept;

} // namespace softdoca
