// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "capabilities.hpp"

#include "device_list.hpp"

#include <doca_ctx.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_mmap_advise.h>
#include <doca_sync_event.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace softdoca::tool {

namespace {

constexpr int kLibraryIndent = 4;
constexpr int kCapabilityIndent = 8;

/// What is printed behind a capability; nothing if the question could not be answered.
using Answer = std::optional<std::string>;

Answer supported(bool is_supported)
{
    return is_supported ? "supported" : "unsupported";
}

/// For queries that answer in the return code.
template <doca_error_t (*Query)(const doca_devinfo *)>
Answer by_code(doca_devinfo *devinfo)
{
    const doca_error_t result = Query(devinfo);

    if (result != DOCA_SUCCESS && result != DOCA_ERROR_NOT_SUPPORTED)
        return std::nullopt;
    return supported(result == DOCA_SUCCESS);
}

/// For queries that answer with 1 or 0; some have no answer on a device without the feature.
template <doca_error_t (*Query)(const doca_devinfo *, std::uint8_t *)>
Answer by_flag(doca_devinfo *devinfo)
{
    std::uint8_t flag = 0;
    const doca_error_t result = Query(devinfo, &flag);

    if (result != DOCA_SUCCESS && result != DOCA_ERROR_NOT_SUPPORTED)
        return std::nullopt;
    return supported(result == DOCA_SUCCESS && flag != 0);
}

template <typename Number, doca_error_t (*Query)(const doca_devinfo *, Number *)>
Answer by_number(doca_devinfo *devinfo)
{
    Number number = 0;

    if (Query(devinfo, &number) != DOCA_SUCCESS)
        return std::nullopt;
    return std::to_string(number);
}

/// The one limit that needs an object to be asked.
Answer dma_max_num_tasks(doca_devinfo *devinfo)
{
    doca_dev *dev = nullptr;
    doca_dma *dma = nullptr;
    std::uint32_t max_num_tasks = 0;
    Answer answer;

    if (doca_dev_open(devinfo, &dev) != DOCA_SUCCESS)
        return answer;
    if (doca_dma_create(dev, &dma) == DOCA_SUCCESS) {
        if (doca_dma_cap_get_max_num_tasks(dma, &max_num_tasks) == DOCA_SUCCESS)
            answer = std::to_string(max_num_tasks);
        (void)doca_dma_destroy(dma);
    }
    (void)doca_dev_close(dev);
    return answer;
}

/// All that can be asked, and how: the name is that of the call without what the section says.
struct Capability {
    std::string_view library;
    const char *name;
    Answer (*ask)(doca_devinfo *devinfo);
};

constexpr Capability kCapabilities[] = {
    {"common", "hotplug_manager", by_flag<doca_devinfo_cap_is_hotplug_manager_supported>},
    {"common", "notification_moderation",
     by_flag<doca_devinfo_cap_is_notification_moderation_supported>},
    {"common", "accelerate_resource_reclaim",
     by_flag<doca_devinfo_cap_is_accelerate_resource_reclaim_supported>},
    {"common", "rep_filter_all", by_flag<doca_devinfo_rep_cap_is_filter_all_supported>},
    {"common", "rep_filter_net", by_flag<doca_devinfo_rep_cap_is_filter_net_supported>},
    {"common", "rep_filter_emulated", by_flag<doca_devinfo_rep_cap_is_filter_emulated_supported>},
    {"common", "num_completion_vectors",
     by_number<std::uint32_t, doca_ctx_cap_get_num_completion_vectors>},
    {"common", "mmap_export_pci", by_flag<doca_mmap_cap_is_export_pci_supported>},
    {"common", "mmap_create_from_export_pci",
     by_flag<doca_mmap_cap_is_create_from_export_pci_supported>},
    {"common", "mmap_advise_task_cache_invalidate",
     by_code<doca_mmap_advise_cap_task_cache_invalidate_is_supported>},
    {"common", "sync_event_task_get", by_code<doca_sync_event_cap_task_get_is_supported>},
    {"common", "sync_event_task_notify_set",
     by_code<doca_sync_event_cap_task_notify_set_is_supported>},
    {"common", "sync_event_task_notify_add",
     by_code<doca_sync_event_cap_task_notify_add_is_supported>},
    {"common", "sync_event_task_wait_eq", by_code<doca_sync_event_cap_task_wait_eq_is_supported>},
    {"common", "sync_event_task_wait_neq", by_code<doca_sync_event_cap_task_wait_neq_is_supported>},
    {"common", "sync_event_export_to_remote_pci",
     by_code<doca_sync_event_cap_is_export_to_remote_pci_supported>},
    {"common", "sync_event_create_from_export",
     by_code<doca_sync_event_cap_is_create_from_export_supported>},
    {"dma", "task_memcpy", by_code<doca_dma_cap_task_memcpy_is_supported>},
    {"dma", "task_memcpy_max_buf_size",
     by_number<std::uint64_t, doca_dma_cap_task_memcpy_get_max_buf_size>},
    {"dma", "task_memcpy_max_buf_list_len",
     by_number<std::uint32_t, doca_dma_cap_task_memcpy_get_max_buf_list_len>},
    {"dma", "max_num_tasks", dma_max_num_tasks},
    {"comch", "server", by_code<doca_comch_cap_server_is_supported>},
    {"comch", "client", by_code<doca_comch_cap_client_is_supported>},
    {"comch", "max_name_len", by_number<std::uint32_t, doca_comch_cap_get_max_name_len>},
    {"comch", "max_msg_size", by_number<std::uint32_t, doca_comch_cap_get_max_msg_size>},
    {"comch", "max_recv_queue_size",
     by_number<std::uint32_t, doca_comch_cap_get_max_recv_queue_size>},
    {"comch", "max_send_tasks", by_number<std::uint32_t, doca_comch_cap_get_max_send_tasks>},
    {"comch", "max_clients", by_number<std::uint32_t, doca_comch_cap_get_max_clients>},
    {"comch", "consumer", by_code<doca_comch_consumer_cap_is_supported>},
    {"comch", "consumer_max_consumers",
     by_number<std::uint32_t, doca_comch_consumer_cap_get_max_consumers>},
    {"comch", "consumer_max_num_tasks",
     by_number<std::uint32_t, doca_comch_consumer_cap_get_max_num_tasks>},
    {"comch", "consumer_max_buf_size",
     by_number<std::uint32_t, doca_comch_consumer_cap_get_max_buf_size>},
    {"comch", "consumer_max_buf_list_len",
     by_number<std::uint32_t, doca_comch_consumer_cap_get_max_buf_list_len>},
    {"comch", "consumer_max_imm_data_len",
     by_number<std::uint32_t, doca_comch_consumer_cap_get_max_imm_data_len>},
    {"comch", "producer", by_code<doca_comch_producer_cap_is_supported>},
    {"comch", "producer_max_producers",
     by_number<std::uint32_t, doca_comch_producer_cap_get_max_producers>},
    {"comch", "producer_max_num_tasks",
     by_number<std::uint32_t, doca_comch_producer_cap_get_max_num_tasks>},
    {"comch", "producer_max_buf_size",
     by_number<std::uint32_t, doca_comch_producer_cap_get_max_buf_size>},
    {"comch", "producer_max_buf_list_len",
     by_number<std::uint32_t, doca_comch_producer_cap_get_max_buf_list_len>},
};

/// The libraries of DOCA, and whether this software has them.
struct Library {
    std::string_view name;
    bool is_offered;
};

constexpr Library kLibraries[] = {
    {"common", true},   {"argp", true},         {"dma", true},        {"comch", true},
    {"aes_gcm", false}, {"apsh", false},        {"compress", false},  {"devemu", false},
    {"dpa", false},     {"dpdk_bridge", false}, {"eth", false},       {"erasure_coding", false},
    {"flow", false},    {"gpunetio", false},    {"pcc", false},       {"rdma", false},
    {"rmax", false},    {"sha", false},         {"telemetry", false}, {"telemetry_exporter", false},
    {"urom", false},    {"verbs", false},
};

} // namespace

void print_capabilities(doca_devinfo *devinfo, const std::optional<std::string> &library)
{
    std::string_view section;

    print_device(devinfo);
    for (const Capability &capability : kCapabilities) {
        if (library && capability.library != *library)
            continue;
        const Answer answer = capability.ask(devinfo);
        if (!answer)
            continue;
        if (section != capability.library) {
            section = capability.library;
            std::printf("%*s%s\n", kLibraryIndent, "", section.data());
        }
        print_field(kCapabilityIndent, capability.name, *answer);
    }
}

void print_libraries()
{
    for (const Library &library : kLibraries)
        print_field(0, std::string(library.name), library.is_offered ? "Linux" : "unavailable");
}

bool has_capabilities(const std::string &library)
{
    return std::ranges::find(kCapabilities, library, &Capability::library) !=
           std::end(kCapabilities);
}

std::string libraries_with_capabilities()
{
    std::string list;
    std::string_view last;

    for (const Capability &capability : kCapabilities) {
        if (capability.library == last)
            continue;
        last = capability.library;
        list += (list.empty() ? "" : ", ") + std::string(last);
    }
    return list;
}

} // namespace softdoca::tool
