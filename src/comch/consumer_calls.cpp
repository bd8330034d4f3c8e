// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The public functions of consumers and their tasks.

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "comch/comch_check.hpp"
#include "comch/consumer.hpp"
#include "comch/control_context.hpp"

LOG_SOURCE("COMCH::CONSUMER");

namespace {

doca_error_t check(const char *call, const doca_comch_consumer *consumer) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "consumer", consumer);
}

/// The program must not change a task that the library has.
bool is_held(const char *call, const doca_comch_consumer_task_post_recv *task) noexcept
{
    if (task != nullptr && task->state() != softdoca::TaskState::in_flight) [[likely]]
        return true;
    LOG_ONCE(softdoca::LogLevel::warning, call, "%s: task %p is NULL or in flight; ignored", call,
             static_cast<const void *>(task));
    return false;
}

/// What a consumer's memory must be.
doca_error_t check_memory(const char *call, const doca_comch_connection &connection,
                          const doca_mmap &mmap) noexcept
{
    const doca_dev &dev = connection.owner().device();
    if (!mmap.is_started() || mmap.window() != nullptr || !mmap.has(dev))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, &mmap, "%s: mmap %p %s", call,
                           static_cast<const void *>(&mmap),
                           !mmap.is_started() ? "is not started (doca_mmap_start)"
                           : mmap.window() != nullptr
                               ? "is an import; a consumer's memory is its own process's"
                               : "does not have the connection's device (doca_mmap_add_dev)");
    if ((mmap.permissions() & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, &mmap,
                           "%s: mmap %p lacks DOCA_ACCESS_FLAG_PCI_READ_WRITE "
                           "(doca_mmap_set_permissions), so that the peer may not write to it",
                           call, static_cast<const void *>(&mmap));
    return DOCA_SUCCESS;
}

} // namespace

extern "C" doca_error_t doca_comch_consumer_create(doca_comch_connection *comch_connection,
                                                   doca_mmap *buf_mmap,
                                                   doca_comch_consumer **consumer)
{
    if (const doca_error_t bad =
            softdoca::check_handle(LOG_SITE, __func__, "connection", comch_connection);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_handle(LOG_SITE, __func__, "mmap", buf_mmap);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, consumer);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_established(LOG_SITE, __func__, *comch_connection);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_memory(__func__, *comch_connection, *buf_mmap);
        bad != DOCA_SUCCESS)
        return bad;
    const std::uint32_t max = comch_connection->owner().device().function().comch_consumer.max_num;
    if (!comch_connection->add_child(comch_connection->num_consumers, max))
        return LOG_REFUSED(DOCA_ERROR_NO_MEMORY, comch_connection,
                           "%s: the connection has %u consumers, which is the limit "
                           "(doca_comch_consumer_cap_get_max_consumers)",
                           __func__, max);
    const doca_error_t result = softdoca::api_guard(LOG_SITE, __func__, [&] {
        *consumer = new doca_comch_consumer(comch_connection->shared_from_this(), *buf_mmap);
        return DOCA_SUCCESS;
    });
    if (result != DOCA_SUCCESS)
        comch_connection->remove_child(comch_connection->num_consumers);
    return result;
}

extern "C" doca_error_t doca_comch_consumer_destroy(doca_comch_consumer *consumer)
{
    if (const doca_error_t bad = check(__func__, consumer); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = consumer->check_destroy(); bad != DOCA_SUCCESS)
        return bad;
    delete consumer;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_comch_consumer_get_id(const doca_comch_consumer *consumer,
                                                   uint32_t *id)
{
    return softdoca::answer(LOG_SITE, __func__, "consumer", consumer, id,
                            [&] { return consumer->id(); });
}

extern "C" doca_error_t doca_comch_consumer_get_imm_data_len(const doca_comch_consumer *consumer,
                                                             uint32_t *imm_data_len)
{
    return softdoca::answer(LOG_SITE, __func__, "consumer", consumer, imm_data_len,
                            [&] { return consumer->max_imm_len(); });
}

extern "C" doca_error_t doca_comch_consumer_set_imm_data_len(doca_comch_consumer *consumer,
                                                             uint32_t imm_data_len)
{
    const doca_error_t bad = check(__func__, consumer);
    return bad != DOCA_SUCCESS ? bad : consumer->set_max_imm_len(imm_data_len);
}

extern "C" doca_ctx *doca_comch_consumer_as_ctx(doca_comch_consumer *consumer)
{
    return consumer;
}

extern "C" doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
    const doca_error_t bad = check(__func__, consumer);
    return bad != DOCA_SUCCESS
               ? bad
               : consumer->set_conf(task_completion_cb, task_error_cb, num_post_recv_tasks);
}

extern "C" doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(doca_comch_consumer *consumer, doca_buf *buf,
                                              doca_comch_consumer_task_post_recv **task)
{
    if (consumer == nullptr || task == nullptr) [[unlikely]]
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, consumer, "%s: consumer or task is NULL",
                           __func__);
    return consumer->alloc(buf, task);
}

extern "C" doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const doca_comch_consumer_task_post_recv *task)
{
    return task == nullptr ? nullptr : task->dst();
}

extern "C" void doca_comch_consumer_task_post_recv_set_buf(doca_comch_consumer_task_post_recv *task,
                                                           doca_buf *buf)
{
    if (is_held(__func__, task))
        task->set_dst(buf);
}

extern "C" uint32_t
doca_comch_consumer_task_post_recv_get_producer_id(const doca_comch_consumer_task_post_recv *task)
{
    return task == nullptr ? 0 : task->producer_id;
}

extern "C" const uint8_t *
doca_comch_consumer_task_post_recv_get_imm_data(const doca_comch_consumer_task_post_recv *task)
{
    return task == nullptr || task->imm_len == 0 ? nullptr : task->imm;
}

extern "C" uint32_t
doca_comch_consumer_task_post_recv_get_imm_data_len(const doca_comch_consumer_task_post_recv *task)
{
    return task == nullptr ? 0 : task->imm_len;
}

extern "C" doca_task *
doca_comch_consumer_task_post_recv_as_task(doca_comch_consumer_task_post_recv *task)
{
    return task;
}
