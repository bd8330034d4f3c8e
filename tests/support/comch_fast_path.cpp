// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/comch_fast_path.hpp"

#include "support/comch_pair.hpp"

#include <chrono>
#include <cstring>
#include <utility>

namespace softdoca::test {

namespace {

/// Beside those of the slots, for what the test makes by itself.
constexpr std::size_t kNumSpareBufs = 1024;

Via via_of(Backing backing)
{
    switch (backing) {
    case Backing::shared:
        return Via::mapped;
    case Backing::sealed:
        return Via::dmabuf;
    case Backing::plain:
        break;
    }
    return Via::cross;
}

std::size_t whole_pages(std::size_t len)
{
    constexpr std::size_t kPage = 4096;
    return (len + kPage - 1) / kPage * kPage;
}

doca_comch_connection *connection_of(const ComchEnd &end, doca_comch_connection *given)
{
    return given == nullptr ? end.connection() : given;
}

/// A buffer that is not for the inventory to remember: it goes with its task.
doca_buf *own_buf(ComchMemory &memory, std::byte *addr, std::size_t len, bool is_full)
{
    doca_buf *buf = nullptr;
    must(is_full
             ? doca_buf_inventory_buf_get_by_data(memory.inventory, memory.mmap, addr, len, &buf)
             : doca_buf_inventory_buf_get_by_addr(memory.inventory, memory.mmap, addr, len, &buf));
    return buf;
}

void release(doca_buf *buf)
{
    if (buf != nullptr) {
        EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
    }
}

std::string data_of(const doca_buf *buf)
{
    void *data = nullptr;
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_data(buf, &data), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
    return {static_cast<const char *>(data), len};
}

std::vector<doca_task *> keys_of(const std::unordered_map<doca_task *, doca_buf *> &tasks)
{
    std::vector<doca_task *> keys;
    for (const auto &[task, buf] : tasks)
        keys.push_back(task);
    return keys;
}

template <typename Context>
Context &behind(doca_data ctx_user_data)
{
    return static_cast<Context &>(*static_cast<ComchContext *>(ctx_user_data.ptr));
}

} // namespace

std::string name_of_backing(const testing::TestParamInfo<Backing> &info)
{
    return info.param == Backing::plain    ? "plain"
           : info.param == Backing::shared ? "shared"
                                           : "sealed";
}

ComchMemory::ComchMemory(doca_dev *dev, Backing backing, std::size_t slots, std::size_t len,
                         std::uint32_t permissions)
    : num_slots(slots), slot_len(len), region(via_of(backing), whole_pages(slots * len)),
      inventory(slots + kNumSpareBufs)
{
    if ((permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0)
        region.close_to_writers();
    must(region.give_to(mmap, region.size()));
    must(doca_mmap_set_permissions(mmap, permissions));
    must(doca_mmap_add_dev(mmap, dev));
    must(doca_mmap_start(mmap));
}

ComchConsumer::ComchConsumer(const ComchEnd &end, const ConsumerSettings &given,
                             doca_comch_connection *connection)
    : ComchContext(given.pe), settings(given),
      memory(end.device, given.backing, given.num_tasks, given.slot_len, given.permissions)
{
    must(doca_comch_consumer_create(connection_of(end, connection), memory.mmap, &consumer_));
    must(configure(settings.num_tasks));
    if (settings.imm_data_len != 0)
        must(doca_comch_consumer_set_imm_data_len(consumer_, settings.imm_data_len));
    attach();
}

ComchConsumer::~ComchConsumer()
{
    come_to_rest();
}

std::uint32_t ComchConsumer::id() const
{
    std::uint32_t id = 0;
    EXPECT_EQ(doca_comch_consumer_get_id(consumer_, &id), DOCA_SUCCESS);
    return id;
}

doca_error_t ComchConsumer::destroy()
{
    const doca_error_t result = doca_comch_consumer_destroy(consumer_);
    if (result == DOCA_SUCCESS)
        consumer_ = nullptr;
    return result;
}

void ComchConsumer::start_and_run() const
{
    const doca_error_t started = start();
    must(started == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED);
    must(reaches(DOCA_CTX_STATE_RUNNING) ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT);
}

doca_error_t ComchConsumer::try_alloc(doca_buf *buf, doca_task **task)
{
    doca_comch_consumer_task_post_recv *post = nullptr;
    const doca_error_t result =
        doca_comch_consumer_task_post_recv_alloc_init(consumer_, buf, &post);
    if (result != DOCA_SUCCESS)
        return result;
    *task = doca_comch_consumer_task_post_recv_as_task(post);
    tasks_[*task] = nullptr;
    return DOCA_SUCCESS;
}

doca_error_t ComchConsumer::try_post(std::size_t slot)
{
    doca_buf *const buf = own_buf(memory, memory.slot(slot), memory.slot_len, false);
    doca_task *task = nullptr;
    const doca_error_t result = try_alloc(buf, &task);
    if (result != DOCA_SUCCESS) {
        release(buf);
        return result;
    }
    tasks_[task] = buf;
    doca_task_set_user_data(task, {.u64 = slot});
    const doca_error_t submitted = doca_task_submit(task);
    if (submitted != DOCA_SUCCESS)
        free(task);
    return submitted;
}

void ComchConsumer::post_all()
{
    for (std::size_t slot = 0; slot < settings.num_tasks; ++slot)
        post(slot);
}

void ComchConsumer::free(doca_task *task)
{
    doca_task_free(task);
    const auto found = tasks_.find(task);
    if (found == tasks_.end())
        return;
    release(found->second);
    tasks_.erase(found);
}

std::vector<doca_task *> ComchConsumer::tasks() const
{
    return keys_of(tasks_);
}

std::vector<std::string> ComchConsumer::texts() const
{
    std::vector<std::string> texts;
    for (const Receipt &receipt : receipts)
        if (receipt.status == DOCA_SUCCESS)
            texts.push_back(receipt.data);
    return texts;
}

void ComchConsumer::drop_hooks()
{
    ComchContext::drop_hooks();
    on_received = nullptr;
    on_failed = nullptr;
    reposts = false;
    frees_tasks = true;
}

void ComchConsumer::free_tasks()
{
    for (doca_task *task : tasks())
        free(task);
}

void ComchConsumer::ended(doca_comch_consumer_task_post_recv *post, bool is_good)
{
    doca_task *task = doca_comch_consumer_task_post_recv_as_task(post);
    doca_buf *const buf = doca_comch_consumer_task_post_recv_get_buf(post);
    const doca_error_t status = doca_task_get_status(task);
    EXPECT_EQ(status == DOCA_SUCCESS, is_good);
    ++num_ended;
    if (keeps) {
        const std::uint8_t *const imm = doca_comch_consumer_task_post_recv_get_imm_data(post);
        const std::uint32_t imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(post);
        Receipt &receipt = receipts.emplace_back();
        receipt.slot = doca_task_get_user_data(task).u64;
        receipt.status = status;
        if (is_good) {
            receipt.data = data_of(buf);
            receipt.imm_data.assign(reinterpret_cast<const char *>(imm), imm_len);
            receipt.producer_id = doca_comch_consumer_task_post_recv_get_producer_id(post);
        }
        note(is_good ? "received" : "receive error " + short_name(status));
    }
    if (is_good && on_received)
        on_received(task, buf);
    if (is_good && reposts) {
        EXPECT_EQ(doca_buf_reset_data_len(buf), DOCA_SUCCESS);
        EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
        return;
    }
    if (frees_tasks)
        free(std::exchange(task, nullptr));
    if (!is_good && on_failed)
        on_failed(task, status);
}

void ComchConsumer::succeeded(doca_comch_consumer_task_post_recv *task, doca_data,
                              doca_data ctx_user_data)
{
    behind<ComchConsumer>(ctx_user_data).ended(task, true);
}

void ComchConsumer::failed(doca_comch_consumer_task_post_recv *task, doca_data,
                           doca_data ctx_user_data)
{
    behind<ComchConsumer>(ctx_user_data).ended(task, false);
}

void PrintTo(const ComchConsumer::Receipt &receipt, std::ostream *out)
{
    *out << "slot " << receipt.slot << " " << doca_error_get_name(receipt.status) << " "
         << receipt.data.size() << " bytes, " << receipt.imm_data.size()
         << " of immediate data, producer " << receipt.producer_id;
}

ComchProducer::ComchProducer(const ComchEnd &end, const ProducerSettings &given,
                             doca_comch_connection *connection)
    : ComchContext(given.pe), settings(given),
      memory(end.device, given.backing, given.num_tasks, given.slot_len, given.permissions)
{
    must(doca_comch_producer_create(connection_of(end, connection), &producer_));
    must(configure(settings.num_tasks));
    attach();
}

ComchProducer::~ComchProducer()
{
    come_to_rest();
}

std::uint32_t ComchProducer::id() const
{
    std::uint32_t id = 0;
    EXPECT_EQ(doca_comch_producer_get_id(producer_, &id), DOCA_SUCCESS);
    return id;
}

doca_error_t ComchProducer::destroy()
{
    const doca_error_t result = doca_comch_producer_destroy(producer_);
    if (result == DOCA_SUCCESS)
        producer_ = nullptr;
    return result;
}

doca_error_t ComchProducer::try_alloc(const doca_buf *buf, std::string_view imm_data,
                                      std::uint32_t consumer, doca_task **task,
                                      std::uint64_t number)
{
    std::string imm(imm_data); // the call takes it as writable
    doca_comch_producer_task_send *send = nullptr;
    const doca_error_t result = doca_comch_producer_task_send_alloc_init(
        producer_, buf, imm.empty() ? nullptr : reinterpret_cast<std::uint8_t *>(imm.data()),
        static_cast<std::uint32_t>(imm.size()), consumer, &send);
    if (result != DOCA_SUCCESS)
        return result;
    *task = doca_comch_producer_task_send_as_task(send);
    doca_task_set_user_data(*task, {.u64 = number});
    tasks_[*task] = nullptr;
    return DOCA_SUCCESS;
}

doca_task *ComchProducer::task(std::string_view data, std::uint32_t consumer, std::uint64_t number,
                               std::string_view imm_data)
{
    doca_buf *buf = nullptr;
    if (!data.empty()) {
        must(data.size() <= memory.slot_len ? DOCA_SUCCESS : DOCA_ERROR_TOO_BIG);
        std::byte *const slot = memory.slot(next_slot_++);
        std::memcpy(slot, data.data(), data.size());
        buf = own_buf(memory, slot, data.size(), true);
    }
    doca_task *task = nullptr;
    const doca_error_t result = try_alloc(buf, imm_data, consumer, &task, number);
    if (result != DOCA_SUCCESS)
        release(buf);
    must(result);
    tasks_[task] = buf;
    return task;
}

doca_error_t ComchProducer::submit(doca_task *task, Milliseconds limit)
{
    const auto end = std::chrono::steady_clock::now() + limit;
    doca_error_t result = DOCA_SUCCESS;
    while ((result = doca_task_submit(task)) == DOCA_ERROR_AGAIN &&
           std::chrono::steady_clock::now() < end)
        continue;
    return result;
}

doca_error_t ComchProducer::send(std::string_view data, std::uint32_t consumer,
                                 std::uint64_t number, std::string_view imm_data,
                                 Milliseconds limit)
{
    doca_task *const made = task(data, consumer, number, imm_data);
    const doca_error_t result = submit(made, limit);
    if (result != DOCA_SUCCESS)
        free(made);
    return result;
}

doca_error_t ComchProducer::send_and_wait(std::string_view data, std::uint32_t consumer,
                                          std::string_view imm_data)
{
    const std::size_t num = num_ended + num_inflight() + 1;
    const doca_error_t submitted = send(data, consumer, 0, imm_data);
    if (submitted != DOCA_SUCCESS)
        return submitted;
    return ends_sends(num) ? sends.back().status : DOCA_ERROR_TIME_OUT;
}

void ComchProducer::free(doca_task *task)
{
    doca_task_free(task);
    const auto found = tasks_.find(task);
    if (found == tasks_.end())
        return;
    release(found->second);
    tasks_.erase(found);
}

std::vector<doca_task *> ComchProducer::tasks() const
{
    return keys_of(tasks_);
}

void ComchProducer::drop_hooks()
{
    ComchContext::drop_hooks();
    on_sent = nullptr;
    frees_tasks = true;
}

void ComchProducer::free_tasks()
{
    for (doca_task *task : tasks())
        free(task);
}

void ComchProducer::ended(doca_comch_producer_task_send *send, bool is_good)
{
    doca_task *task = doca_comch_producer_task_send_as_task(send);
    const doca_error_t status = doca_task_get_status(task);
    EXPECT_EQ(status == DOCA_SUCCESS, is_good);
    ++num_ended;
    if (keeps) {
        sends.push_back({doca_task_get_user_data(task).u64, status});
        note(is_good ? "sent" : "send error " + short_name(status));
    }
    if (frees_tasks)
        free(std::exchange(task, nullptr));
    if (on_sent)
        on_sent(task, status);
}

void ComchProducer::succeeded(doca_comch_producer_task_send *task, doca_data,
                              doca_data ctx_user_data)
{
    behind<ComchProducer>(ctx_user_data).ended(task, true);
}

void ComchProducer::failed(doca_comch_producer_task_send *task, doca_data, doca_data ctx_user_data)
{
    behind<ComchProducer>(ctx_user_data).ended(task, false);
}

} // namespace softdoca::test
