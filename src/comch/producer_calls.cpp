// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The public functions of producers and their tasks.

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "comch/comch_check.hpp"
#include "comch/control_context.hpp"
#include "comch/producer.hpp"

LOG_SOURCE("COMCH::PRODUCER");

namespace {

doca_error_t check(const char *call, const doca_comch_producer *producer) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "producer", producer);
}

/// The program must not change a task that the library has.
bool is_held(const char *call, const doca_comch_producer_task_send *task) noexcept
{
    if (task != nullptr && task->state() != softdoca::TaskState::in_flight) [[likely]]
        return true;
    LOG_ONCE(softdoca::LogLevel::warning, call, "%s: task %p is NULL or in flight; ignored", call,
             static_cast<const void *>(task));
    return false;
}

} // namespace

extern "C" doca_error_t doca_comch_producer_create(doca_comch_connection *comch_connection,
                                                   doca_comch_producer **producer)
{
    if (const doca_error_t bad =
            softdoca::check_handle(LOG_SITE, __func__, "connection", comch_connection);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, producer);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_established(LOG_SITE, __func__, *comch_connection);
        bad != DOCA_SUCCESS)
        return bad;
    const std::uint32_t max = comch_connection->owner().device().function().comch_producer.max_num;
    if (!comch_connection->add_child(comch_connection->num_producers, max))
        return LOG_REFUSED(DOCA_ERROR_NO_MEMORY, comch_connection,
                           "%s: the connection has %u producers, which is the limit "
                           "(doca_comch_producer_cap_get_max_producers)",
                           __func__, max);
    const doca_error_t result = softdoca::api_guard(LOG_SITE, __func__, [&] {
        *producer = new doca_comch_producer(comch_connection->shared_from_this());
        return DOCA_SUCCESS;
    });
    if (result != DOCA_SUCCESS)
        comch_connection->remove_child(comch_connection->num_producers);
    return result;
}

extern "C" doca_error_t doca_comch_producer_destroy(doca_comch_producer *producer)
{
    if (const doca_error_t bad = check(__func__, producer); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = producer->check_destroy(); bad != DOCA_SUCCESS)
        return bad;
    delete producer;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_comch_producer_get_id(const doca_comch_producer *producer,
                                                   uint32_t *id)
{
    return softdoca::answer(LOG_SITE, __func__, "producer", producer, id,
                            [&] { return producer->id(); });
}

extern "C" doca_ctx *doca_comch_producer_as_ctx(doca_comch_producer *producer)
{
    return producer;
}

extern "C" doca_error_t doca_comch_producer_task_send_set_conf(
    doca_comch_producer *producer, doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    const doca_error_t bad = check(__func__, producer);
    return bad != DOCA_SUCCESS
               ? bad
               : producer->set_conf(task_completion_cb, task_error_cb, num_send_tasks);
}

extern "C" doca_error_t
doca_comch_producer_task_send_alloc_init(doca_comch_producer *producer, const doca_buf *buf,
                                         uint8_t *imm_data, uint32_t imm_data_len,
                                         uint32_t consumer_id, doca_comch_producer_task_send **task)
{
    if (producer == nullptr || task == nullptr) [[unlikely]]
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, producer, "%s: producer or task is NULL",
                           __func__);
    return producer->alloc(buf, imm_data, imm_data_len, consumer_id, task);
}

extern "C" const doca_buf *
doca_comch_producer_task_send_get_buf(const doca_comch_producer_task_send *task)
{
    return task == nullptr ? nullptr : task->src();
}

extern "C" void doca_comch_producer_task_send_set_buf(doca_comch_producer_task_send *task,
                                                      const doca_buf *buf)
{
    if (is_held(__func__, task))
        task->set_src(buf);
}

extern "C" uint32_t
doca_comch_producer_task_send_get_consumer_id(const doca_comch_producer_task_send *task)
{
    return task == nullptr ? 0 : task->consumer_id;
}

extern "C" void doca_comch_producer_task_send_set_consumer_id(doca_comch_producer_task_send *task,
                                                              const uint32_t consumer_id)
{
    if (is_held(__func__, task))
        task->consumer_id = consumer_id;
}

extern "C" uint8_t *
doca_comch_producer_task_send_get_imm_data(const doca_comch_producer_task_send *task)
{
    if (task == nullptr || task->imm_len == 0)
        return nullptr;
    return const_cast<std::uint8_t *>(task->imm.data());
}

extern "C" uint32_t
doca_comch_producer_task_send_get_imm_data_len(const doca_comch_producer_task_send *task)
{
    return task == nullptr ? 0 : task->imm_len;
}

extern "C" void doca_comch_producer_task_send_set_imm_data(doca_comch_producer_task_send *task,
                                                           uint8_t *imm_data, uint32_t imm_data_len)
{
    if (is_held(__func__, task))
        (void)static_cast<doca_comch_producer &>(task->ctx())
            .set_imm(*task, imm_data, imm_data_len);
}

extern "C" doca_task *doca_comch_producer_task_send_as_task(doca_comch_producer_task_send *task)
{
    return task;
}
