// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// The cheapest engine we could think of that still has the bookkeeping which an API of buffer
/// objects needs: for each task two buffers out of an inventory, bounds checks, an operation table,
/// a destination length to update, one completion a call, and everything given back in the
/// callback. The ceiling that rows 1 and 2 compare with. Its calls are real calls: they stand in a
/// file of their own and are not inlined.
namespace softdoca::bench::probe {

struct Map {
    char *base;
    std::size_t len;
    std::uint32_t rights;
};

struct alignas(64) Buf {
    Map *map;
    char *head, *data;
    std::size_t len, data_len;
    std::uint32_t refs;
    Buf *next_free, *next_in_list;
};

struct Engine;

struct alignas(64) Op {
    void (*done)(Op *, void *user, Engine *engine);
    void (*run)(Engine *, Op *);
    void *user;
    Buf *src, *dst;
    Op *next;
    int status;
    std::uint32_t state;
};

struct Engine {
    std::vector<Buf> bufs;
    std::vector<Op> ops;
    Buf *free_buf = nullptr;
    Op *free_op = nullptr;
    Op *first = nullptr, **last = &first;
    std::size_t inflight = 0, max_len = 2U << 20;
    std::uint32_t state = 2;
    void (*callback)(Op *, void *user, Engine *engine);

    /// Room for `num` operations with two buffers each; all call back `callback`.
    Engine(std::size_t num, void (*callback)(Op *, void *, Engine *));
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    int buf_get(Map *map, char *addr, std::size_t len, Buf **out);
    int buf_set_data(Buf *buf, char *data, std::size_t len);
    int buf_reset_data_len(Buf *buf);
    int buf_put(Buf *buf);
    int op_get(Buf *src, Buf *dst, void *user, Op **out);
    void op_put(Op *op);
    int submit(Op *op);
    int progress(); ///< one completion a call
};

} // namespace softdoca::bench::probe
