// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// DOCA for C++20: owners, errors, spans and coroutines over the public C API, and nothing else, so
/// it serves with any implementation of that. Header-only; link doca-common, doca-dma, doca-comch.
/// docs/cpp.md is the tutorial.
///
/// Ownership: every object is owned by one handle, which can be moved. An object keeps what it
/// stands on: a context its device and its engine, a consumer its server or client, a map its
/// devices. Memory of the program is never owned. A destructor does not throw: what cannot be ended
/// is left as it is and reported (set_complaint).
///
/// Errors: see error.hpp; exceptions must be enabled. What can be awaited is to be awaited at once,
/// and what was moved from is to be destroyed or assigned to. Threads: an engine and all that is
/// connected to it belong to one thread. Callbacks and coroutines run within progress() of their
/// engine.

#pragma once

#if __cplusplus < 202002L
#error "softdoca/doca.hpp needs -std=c++20"
#endif

#include "doca/buffer.hpp"
#include "doca/comch.hpp"
#include "doca/comch_connection.hpp"
#include "doca/comch_consumer.hpp"
#include "doca/comch_producer.hpp"
#include "doca/context.hpp"
#include "doca/coroutine.hpp"
#include "doca/device.hpp"
#include "doca/dma.hpp"
#include "doca/error.hpp"
#include "doca/executor.hpp"
#include "doca/handle.hpp"
#include "doca/memory.hpp"
#include "doca/progress_engine.hpp"
