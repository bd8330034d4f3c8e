// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Sync events: not offered yet.

#include <doca_sync_event.h>

#include "common/not_offered.hpp"

LOG_SOURCE("CORE::SYNC_EVENT");

using softdoca::not_offered;
using softdoca::not_supported;
using softdoca::say_not_offered;

extern "C" doca_error_t doca_sync_event_create(doca_sync_event **event)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_create_from_export(doca_dev *dev, const uint8_t *data,
                                                           size_t, doca_sync_event **event)
{
    return not_offered(LOG_SITE, __func__, dev, data, event);
}

extern "C" doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t
doca_sync_event_remote_net_create_from_export(doca_dev *dev, const uint8_t *data, size_t,
                                              doca_sync_event_remote_net **event)
{
    return not_offered(LOG_SITE, __func__, dev, data, event);
}

extern "C" doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_destroy(doca_sync_event *event)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_remote_net_destroy(doca_sync_event_remote_net *event)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_add_publisher_location_cpu(doca_sync_event *event,
                                                                   doca_dev *dev)
{
    return not_offered(LOG_SITE, __func__, event, dev);
}

extern "C" doca_error_t doca_sync_event_add_publisher_location_dpa(doca_sync_event *event,
                                                                   doca_dpa *dpa)
{
    return not_offered(LOG_SITE, __func__, event, dpa);
}

extern "C" doca_error_t doca_sync_event_add_publisher_location_gpu(doca_sync_event *event,
                                                                   doca_gpu *gpu)
{
    return not_offered(LOG_SITE, __func__, event, gpu);
}

extern "C" doca_error_t doca_sync_event_add_publisher_location_remote_pci(doca_sync_event *event)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_add_publisher_location_remote_net(doca_sync_event *event)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_add_subscriber_location_cpu(doca_sync_event *event,
                                                                    doca_dev *dev)
{
    return not_offered(LOG_SITE, __func__, event, dev);
}

extern "C" doca_error_t doca_sync_event_add_subscriber_location_dpa(doca_sync_event *event,
                                                                    doca_dpa *dpa)
{
    return not_offered(LOG_SITE, __func__, event, dpa);
}

extern "C" doca_error_t doca_sync_event_add_subscriber_location_gpu(doca_sync_event *event,
                                                                    doca_gpu *gpu)
{
    return not_offered(LOG_SITE, __func__, event, gpu);
}

extern "C" doca_error_t doca_sync_event_add_subscriber_location_remote_pci(doca_sync_event *event)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_set_addr(doca_sync_event *event, uint64_t *addr)
{
    return not_offered(LOG_SITE, __func__, event, addr);
}

extern "C" doca_error_t doca_sync_event_set_doca_buf(doca_sync_event *event, doca_buf *buf)
{
    return not_offered(LOG_SITE, __func__, event, buf);
}

extern "C" doca_error_t doca_sync_event_start(doca_sync_event *event)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_stop(doca_sync_event *event)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_ctx *doca_sync_event_as_ctx(doca_sync_event *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" doca_error_t doca_sync_event_cap_task_get_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t
doca_sync_event_task_get_set_conf(doca_sync_event *event,
                                  doca_sync_event_task_get_completion_cb_t completion_cb,
                                  doca_sync_event_task_get_completion_cb_t error_cb, uint32_t)
{
    return not_offered(LOG_SITE, __func__, event, completion_cb, error_cb);
}

extern "C" doca_error_t doca_sync_event_task_get_alloc_init(doca_sync_event *event, uint64_t *,
                                                            doca_data,
                                                            doca_sync_event_task_get **task)
{
    return not_offered(LOG_SITE, __func__, event, task);
}

extern "C" doca_task *doca_sync_event_task_get_as_doca_task(doca_sync_event_task_get *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" void doca_sync_event_task_get_set_ret_val_ptr(doca_sync_event_task_get *, uint64_t *)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const doca_sync_event_task_get *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" doca_error_t
doca_sync_event_cap_task_notify_set_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_task_notify_set_set_conf(
    doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t)
{
    return not_offered(LOG_SITE, __func__, event, completion_cb, error_cb);
}

extern "C" doca_error_t
doca_sync_event_task_notify_set_alloc_init(doca_sync_event *event, uint64_t, doca_data,
                                           doca_sync_event_task_notify_set **task)
{
    return not_offered(LOG_SITE, __func__, event, task);
}

extern "C" doca_task *
doca_sync_event_task_notify_set_as_doca_task(doca_sync_event_task_notify_set *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" void doca_sync_event_task_notify_set_set_set_val(doca_sync_event_task_notify_set *,
                                                            uint64_t)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" uint64_t
doca_sync_event_task_notify_set_get_set_val(const doca_sync_event_task_notify_set *)
{
    say_not_offered(LOG_SITE, __func__);
    return 0;
}

extern "C" doca_error_t
doca_sync_event_cap_task_notify_add_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_task_notify_add_set_conf(
    doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t)
{
    return not_offered(LOG_SITE, __func__, event, completion_cb, error_cb);
}

extern "C" doca_error_t
doca_sync_event_task_notify_add_alloc_init(doca_sync_event *event, uint64_t, uint64_t *, doca_data,
                                           doca_sync_event_task_notify_add **task)
{
    return not_offered(LOG_SITE, __func__, event, task);
}

extern "C" doca_task *
doca_sync_event_task_notify_add_as_doca_task(doca_sync_event_task_notify_add *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" void doca_sync_event_task_notify_add_set_inc_val(doca_sync_event_task_notify_add *,
                                                            uint64_t)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" uint64_t
doca_sync_event_task_notify_add_get_inc_val(const doca_sync_event_task_notify_add *)
{
    say_not_offered(LOG_SITE, __func__);
    return 0;
}

extern "C" void
doca_sync_event_task_notify_add_set_fetched_val_ptr(doca_sync_event_task_notify_add *, uint64_t *)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" uint64_t *
doca_sync_event_task_notify_add_get_fetched_val_ptr(const doca_sync_event_task_notify_add *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_task_wait_eq_set_conf(
    doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t)
{
    return not_offered(LOG_SITE, __func__, event, completion_cb, error_cb);
}

extern "C" doca_error_t doca_sync_event_task_wait_eq_alloc_init(doca_sync_event *event, uint64_t,
                                                                uint64_t, doca_data,
                                                                doca_sync_event_task_wait_eq **task)
{
    return not_offered(LOG_SITE, __func__, event, task);
}

extern "C" doca_task *doca_sync_event_task_wait_eq_as_doca_task(doca_sync_event_task_wait_eq *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" void doca_sync_event_task_wait_eq_set_wait_val(doca_sync_event_task_wait_eq *, uint64_t)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" uint64_t doca_sync_event_task_wait_eq_get_wait_val(const doca_sync_event_task_wait_eq *)
{
    say_not_offered(LOG_SITE, __func__);
    return 0;
}

extern "C" void doca_sync_event_task_wait_eq_set_mask(doca_sync_event_task_wait_eq *, uint64_t)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" uint64_t doca_sync_event_task_wait_eq_get_mask(const doca_sync_event_task_wait_eq *)
{
    say_not_offered(LOG_SITE, __func__);
    return 0;
}

extern "C" doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_task_wait_neq_set_conf(
    doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t)
{
    return not_offered(LOG_SITE, __func__, event, completion_cb, error_cb);
}

extern "C" doca_error_t
doca_sync_event_task_wait_neq_alloc_init(doca_sync_event *event, uint64_t, uint64_t, doca_data,
                                         doca_sync_event_task_wait_neq **task)
{
    return not_offered(LOG_SITE, __func__, event, task);
}

extern "C" doca_task *doca_sync_event_task_wait_neq_as_doca_task(doca_sync_event_task_wait_neq *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" void doca_sync_event_task_wait_neq_set_wait_val(doca_sync_event_task_wait_neq *,
                                                           uint64_t)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const doca_sync_event_task_wait_neq *)
{
    say_not_offered(LOG_SITE, __func__);
    return 0;
}

extern "C" void doca_sync_event_task_wait_neq_set_mask(doca_sync_event_task_wait_neq *, uint64_t)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" uint64_t doca_sync_event_task_wait_neq_get_mask(const doca_sync_event_task_wait_neq *)
{
    say_not_offered(LOG_SITE, __func__);
    return 0;
}

extern "C" doca_error_t doca_sync_event_export_to_remote_pci(doca_sync_event *event, doca_dev *dev,
                                                             const uint8_t **data, size_t *sz)
{
    return not_offered(LOG_SITE, __func__, event, dev, data, sz);
}

extern "C" doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_get_dpa_handle(doca_sync_event *event, doca_dpa *dpa,
                                                       doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
    return not_offered(LOG_SITE, __func__, event, dpa, dpa_dev_se_handle);
}

extern "C" doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_get_gpu_handle(doca_sync_event *event, doca_gpu *gpu,
                                                       doca_gpu_dev_sync_event_t **gpu_dev_se)
{
    return not_offered(LOG_SITE, __func__, event, gpu, gpu_dev_se);
}

extern "C" doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_export_to_remote_net(doca_sync_event *event,
                                                             const uint8_t **data, size_t *sz)
{
    return not_offered(LOG_SITE, __func__, event, data, sz);
}

extern "C" doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t
doca_sync_event_remote_net_get_dpa_handle(doca_sync_event_remote_net *event, doca_dpa *dpa,
                                          doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
{
    return not_offered(LOG_SITE, __func__, event, dpa, dpa_remote_event);
}

extern "C" doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t
doca_sync_event_remote_net_get_gpu_handle(doca_sync_event_remote_net *event, doca_gpu *gpu,
                                          doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)
{
    return not_offered(LOG_SITE, __func__, event, gpu, gpu_remote_event);
}

extern "C" doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_sync_event_get(doca_sync_event *event, uint64_t *value)
{
    return not_offered(LOG_SITE, __func__, event, value);
}

extern "C" doca_error_t doca_sync_event_update_add(doca_sync_event *event, uint64_t,
                                                   uint64_t *fetched)
{
    return not_offered(LOG_SITE, __func__, event, fetched);
}

extern "C" doca_error_t doca_sync_event_update_set(doca_sync_event *event, uint64_t)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_wait_gt(doca_sync_event *event, uint64_t, uint64_t)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_wait_gt_yield(doca_sync_event *event, uint64_t, uint64_t)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_wait_eq(doca_sync_event *event, uint64_t, uint64_t)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_wait_eq_yield(doca_sync_event *event, uint64_t, uint64_t)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_wait_neq(doca_sync_event *event, uint64_t, uint64_t)
{
    return not_offered(LOG_SITE, __func__, event);
}

extern "C" doca_error_t doca_sync_event_wait_neq_yield(doca_sync_event *event, uint64_t, uint64_t)
{
    return not_offered(LOG_SITE, __func__, event);
}
