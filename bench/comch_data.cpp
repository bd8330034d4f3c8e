// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch_data.hpp"

#include "harness.hpp"

#include <softdoca/memory.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <doca_error.h>

namespace softdoca::bench {

// ---- consumers ----

const char *name_of(Placement placement)
{
    return placement == Placement::mapped ? "mapped" : "heap";
}

ReceiveMemory::ReceiveMemory(const Device &device, Placement placement, std::size_t num_buffers,
                             std::size_t len)
    : len_(len), bytes_(allocate(placement, num_buffers * len)),
      map_(device, bytes_.get(), num_buffers * len, DOCA_ACCESS_FLAG_PCI_READ_WRITE),
      inventory_(num_buffers)
{
}

ReceiveMemory::Bytes ReceiveMemory::allocate(Placement placement, std::size_t len)
{
    constexpr std::size_t kPage = 4096;
    void *memory = nullptr;
    if (placement == Placement::mapped)
        require(softdoca_memory_alloc(len, &memory), "softdoca_memory_alloc");
    else
        memory = std::aligned_alloc(kPage, (len + kPage - 1) / kPage * kPage);
    require(memory != nullptr, "memory");
    std::memset(memory, 1, len); // no page fault later
    const auto release = placement == Placement::mapped
                             ? [](void *addr) { softdoca_memory_free(addr); }
                             : [](void *addr) { std::free(addr); };
    return {static_cast<char *>(memory), release};
}

doca_buf *ReceiveMemory::take_buffer(std::size_t index) const
{
    doca_buf *buffer = nullptr;
    require(doca_buf_inventory_buf_get_by_addr(inventory_.get(), map_.get(),
                                               bytes_.get() + index * len_, len_, &buffer),
            "doca_buf_inventory_buf_get_by_addr");
    return buffer;
}

Receiver::Receiver(const Link &link, const ProgressEngine &engine, const ReceiveMemory &memory,
                   std::size_t first_buffer, std::size_t num_posted)
    : pe_(engine.get())
{
    const auto on_flushed = [](doca_comch_consumer_task_post_recv *task, doca_data, doca_data) {
        doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
    };
    require(doca_comch_consumer_create(link.connection, memory.map(), &consumer_),
            "doca_comch_consumer_create");
    require(doca_comch_consumer_task_post_recv_set_conf(consumer_, on_received, on_flushed,
                                                        static_cast<std::uint32_t>(num_posted)),
            "doca_comch_consumer_task_post_recv_set_conf");
    for (std::size_t i = 0; i < num_posted; ++i)
        buffers_.push_back(memory.take_buffer(first_buffer + i));
    attach(doca_comch_consumer_as_ctx(consumer_), pe_, this);
    start(doca_comch_consumer_as_ctx(consumer_), DOCA_ERROR_IN_PROGRESS);
}

Receiver::~Receiver()
{
    stop(doca_comch_consumer_as_ctx(consumer_), pe_);
    require(doca_comch_consumer_destroy(consumer_), "doca_comch_consumer_destroy");
    for (doca_buf *buffer : buffers_)
        doca_buf_dec_refcount(buffer, nullptr);
}

std::uint32_t Receiver::id() const
{
    std::uint32_t id = 0;
    require(doca_comch_consumer_get_id(consumer_, &id), "doca_comch_consumer_get_id");
    return id;
}

bool Receiver::is_running() const
{
    return state_of(doca_comch_consumer_as_ctx(consumer_)) == DOCA_CTX_STATE_RUNNING;
}

void Receiver::post() const
{
    for (doca_buf *buffer : buffers_) {
        doca_comch_consumer_task_post_recv *task = nullptr;
        require(doca_comch_consumer_task_post_recv_alloc_init(consumer_, buffer, &task),
                "doca_comch_consumer_task_post_recv_alloc_init");
        require(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)),
                "submit of a post");
    }
}

void Receiver::on_received(doca_comch_consumer_task_post_recv *task, doca_data,
                           doca_data ctx_user_data)
{
    user_object<Receiver>(ctx_user_data).num_received_++;
    doca_task *const post = doca_comch_consumer_task_post_recv_as_task(task);
    const doca_error_t reset =
        doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task));
    const doca_error_t result = reset == DOCA_SUCCESS ? doca_task_submit(post) : reset;
    if (result == DOCA_ERROR_BAD_STATE) [[unlikely]] // its peer has gone and it is stopping
        doca_task_free(post);
    else
        require(result, "submit of a post");
}

void Receiver::receive(std::uint64_t num_messages) const
{
    const std::uint64_t end = num_received_ + num_messages;
    while (num_received_ != end)
        doca_pe_progress(pe_);
}

// ---- producer ----

Sender::Sender(const Device &device, const Link &link, const ProgressEngine &engine,
               std::size_t len, std::uint32_t consumer)
    : memory_(len), map_(device, memory_.src(), len, DOCA_ACCESS_FLAG_PCI_READ_ONLY), inventory_(1),
      pe_(engine.get())
{
    const auto on_failed = [](doca_comch_producer_task_send *task, doca_data, doca_data) {
        require(doca_task_get_status(doca_comch_producer_task_send_as_task(task)), "a send");
    };
    require(doca_buf_inventory_buf_get_by_data(inventory_.get(), map_.get(), memory_.src(), len,
                                               &buffer_),
            "doca_buf_inventory_buf_get_by_data");
    require(doca_comch_producer_create(link.connection, &producer_), "doca_comch_producer_create");
    require(doca_comch_producer_task_send_set_conf(producer_, on_sent, on_failed, kNumTasks),
            "doca_comch_producer_task_send_set_conf");
    attach(doca_comch_producer_as_ctx(producer_), pe_, this);
    start(doca_comch_producer_as_ctx(producer_), DOCA_SUCCESS);
    for (std::uint32_t i = 0; i < kNumTasks; ++i) {
        doca_comch_producer_task_send *task = nullptr;
        require(doca_comch_producer_task_send_alloc_init(producer_, buffer_, nullptr, 0, consumer,
                                                         &task),
                "doca_comch_producer_task_send_alloc_init");
        tasks_.push_back(doca_comch_producer_task_send_as_task(task));
    }
}

Sender::~Sender()
{
    for (doca_task *task : tasks_)
        doca_task_free(task);
    stop(doca_comch_producer_as_ctx(producer_), pe_);
    require(doca_comch_producer_destroy(producer_), "doca_comch_producer_destroy");
    doca_buf_dec_refcount(buffer_, nullptr);
}

void Sender::on_sent(doca_comch_producer_task_send *, doca_data, doca_data ctx_user_data)
{
    user_object<Sender>(ctx_user_data).num_sent_++;
}

void Sender::send(std::uint64_t num_messages) const
{
    const std::uint64_t start = num_sent_, end = start + num_messages;
    // Sends to one consumer end in their order, so the oldest task is free first.
    for (std::uint64_t submitted = start; num_sent_ != end;) {
        while (submitted != end && submitted - num_sent_ < kNumTasks) {
            const doca_error_t result = doca_task_submit(tasks_[submitted % kNumTasks]);
            if (result == DOCA_ERROR_AGAIN)
                break; // nothing posted
            require(result, "submit of a send");
            ++submitted;
        }
        const std::uint64_t num_in_flight = submitted - num_sent_;
        for (std::uint64_t i = 0; i < std::max<std::uint64_t>(num_in_flight, 1); ++i)
            doca_pe_progress(pe_);
    }
}

DataEnd::DataEnd(const Device &device, const Link &link, const ProgressEngine &engine,
                 const DataShape &shape)
    : device_(device), link_(link), engine_(engine), len_(shape.len),
      memory_(device, shape.placement, shape.num_consumers * shape.num_posted, shape.len)
{
    for (std::size_t i = 0; i < shape.num_consumers; ++i)
        receivers_.emplace_back(link, engine, memory_, i * shape.num_posted, shape.num_posted);
}

bool DataEnd::is_running() const
{
    for (const Receiver &receiver : receivers_) {
        if (!receiver.is_running())
            return false;
    }
    return true;
}

void DataEnd::open(std::uint32_t consumer_of_peer)
{
    for (const Receiver &receiver : receivers_)
        receiver.post();
    sender_ = std::make_unique<Sender>(device_, link_, engine_, len_, consumer_of_peer);
}

} // namespace softdoca::bench
