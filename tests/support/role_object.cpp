// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A shared object whose only content is the role note of its flavour.

#include <doca_config.h>
