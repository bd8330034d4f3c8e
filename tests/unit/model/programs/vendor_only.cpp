// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The same program in C++, where the header has overloads instead of macros.
#include "vendor_only.c"
