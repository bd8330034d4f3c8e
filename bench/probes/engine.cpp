// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "engine.hpp"

#include <cstring>

namespace softdoca::bench::probe {

namespace {

constexpr int kInvalid = 6;
constexpr int kNoMemory = 8;

void run_copy(Engine *, Op *op)
{
    std::memcpy(op->dst->data, op->src->data, op->src->data_len);
    op->dst->data_len += op->src->data_len;
    op->status = 0;
}

} // namespace

Engine::Engine(std::size_t num, void (*callback_)(Op *, void *, Engine *))
    : bufs(2 * num), ops(num), callback(callback_)
{
    for (Buf &buf : bufs) {
        buf.next_free = free_buf;
        free_buf = &buf;
    }
    for (Op &op : ops)
        op_put(&op);
}

[[gnu::noinline]] int Engine::buf_get(Map *map, char *addr, std::size_t len, Buf **out)
{
    if (!map || !out || addr < map->base || len > map->len ||
        static_cast<std::size_t>(addr - map->base) > map->len - len)
        return kInvalid;
    Buf *buf = free_buf;
    if (!buf)
        return kNoMemory;
    free_buf = buf->next_free;
    *buf = {map, addr, addr, len, 0, 1, nullptr, nullptr};
    *out = buf;
    return 0;
}

[[gnu::noinline]] int Engine::buf_set_data(Buf *buf, char *data, std::size_t len)
{
    if (!buf || data < buf->head || data + len > buf->head + buf->len)
        return kInvalid;
    buf->data = data;
    buf->data_len = len;
    return 0;
}

[[gnu::noinline]] int Engine::buf_reset_data_len(Buf *buf)
{
    if (!buf)
        return kInvalid;
    buf->data_len = 0;
    return 0;
}

[[gnu::noinline]] int Engine::buf_put(Buf *buf)
{
    if (!buf || buf->refs == 0)
        return kInvalid;
    if (--buf->refs == 0) {
        buf->next_free = free_buf;
        free_buf = buf;
    }
    return 0;
}

[[gnu::noinline]] int Engine::op_get(Buf *src, Buf *dst, void *user, Op **out)
{
    Op *op = free_op;
    if (!op || !src || !dst)
        return kNoMemory;
    free_op = op->next;
    *op = {callback, run_copy, user, src, dst, nullptr, -1, 0};
    *out = op;
    return 0;
}

void Engine::op_put(Op *op)
{
    op->next = free_op;
    free_op = op;
}

[[gnu::noinline]] int Engine::submit(Op *op)
{
    if (!op || state != 2 || op->state != 0)
        return kInvalid;
    if (op->src->data_len > op->dst->len || op->src->data_len > max_len)
        return kInvalid;
    op->state = 1;
    op->next = nullptr;
    *last = op;
    last = &op->next;
    inflight++;
    return 0;
}

[[gnu::noinline]] int Engine::progress()
{
    Op *op = first;
    if (!op)
        return 0;
    first = op->next;
    if (!first)
        last = &first;
    op->run(this, op);
    inflight--;
    op->state = 0;
    op->done(op, op->user, this);
    return 1;
}

} // namespace softdoca::bench::probe
