// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/topology_limits.hpp"

#include <type_traits>
#include <utility>

namespace softdoca {

namespace {

template <auto Part, auto Field>
constexpr LimitKey key(const char *table, const char *name, std::uint64_t min, std::uint64_t max)
{
    using Value = std::remove_reference_t<decltype(std::declval<Function &>().*Part.*Field)>;
    return {
        table,
        name,
        min,
        max,
        std::is_same_v<Value, bool>,
        [](const Function &function) noexcept -> std::uint64_t { return function.*Part.*Field; },
        [](Function &function, std::uint64_t value) noexcept {
            function.*Part.*Field = static_cast<Value>(value);
        }};
}

constexpr auto kDma = &Function::dma;
constexpr auto kComch = &Function::comch;
constexpr auto kConsumer = &Function::comch_consumer;
constexpr auto kProducer = &Function::comch_producer;

constexpr std::uint64_t kMaxListLen = 1024; // the kernel takes no longer one in a vectored call
constexpr std::uint64_t kMaxTasks = 1u << 20;
constexpr std::uint64_t kMaxComchBuf = (1u << 31) - 1;

constexpr LimitKey kKeys[] = {
    key<kDma, &DmaLimits::has_memcpy>("dma", "memcpy", 0, 1),
    key<kDma, &DmaLimits::max_buf_size>("dma", "max_buf_size", 1, std::uint64_t{1} << 40),
    key<kDma, &DmaLimits::max_buf_list_len>("dma", "max_buf_list_len", 1, kMaxListLen),
    key<kDma, &DmaLimits::max_num_tasks>("dma", "max_num_tasks", 1, kMaxTasks),

    key<kComch, &ComchLimits::is_supported>("comch", "supported", 0, 1),
    key<kComch, &ComchLimits::max_msg_size>("comch", "max_msg_size", 1, 65536),
    key<kComch, &ComchLimits::max_name_len>("comch", "max_name_len", 2, 256),
    key<kComch, &ComchLimits::max_recv_queue_size>("comch", "max_recv_queue_size", 1, 65536),
    key<kComch, &ComchLimits::max_send_tasks>("comch", "max_send_tasks", 1, 65536),
    key<kComch, &ComchLimits::max_clients>("comch", "max_clients", 1, 65536),
    key<kComch, &ComchLimits::max_imm_data_len>("comch", "max_imm_data_len", 0, 32),

    key<kConsumer, &ComchEndLimits::max_num>("comch_consumer", "max_num", 1, 65536),
    key<kConsumer, &ComchEndLimits::max_num_tasks>("comch_consumer", "max_num_tasks", 1, kMaxTasks),
    key<kConsumer, &ComchEndLimits::max_buf_size>("comch_consumer", "max_buf_size", 1,
                                                  kMaxComchBuf),
    key<kConsumer, &ComchEndLimits::max_buf_list_len>("comch_consumer", "max_buf_list_len", 1,
                                                      kMaxListLen),

    key<kProducer, &ComchEndLimits::max_num>("comch_producer", "max_num", 1, 65536),
    key<kProducer, &ComchEndLimits::max_num_tasks>("comch_producer", "max_num_tasks", 1, kMaxTasks),
    key<kProducer, &ComchEndLimits::max_buf_size>("comch_producer", "max_buf_size", 1,
                                                  kMaxComchBuf),
    key<kProducer, &ComchEndLimits::max_buf_list_len>("comch_producer", "max_buf_list_len", 1,
                                                      kMaxListLen),
};

} // namespace

std::span<const LimitKey> limit_keys() noexcept
{
    return kKeys;
}

void make_plain(Function &function) noexcept
{
    function.dma.has_memcpy = false;
    function.comch.is_supported = false;
}

} // namespace softdoca
