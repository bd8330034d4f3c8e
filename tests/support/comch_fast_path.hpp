// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/comch_context.hpp"
#include "support/handles.hpp"
#include "support/window_pair.hpp"

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Consumers and producers of a connection, of either side.
namespace softdoca::test {

class ComchEnd;

/// Where the memory of a consumer or producer comes from.
enum class Backing {
    plain,  ///< no peer can map it
    shared, ///< softdoca_memory_alloc
    sealed, ///< a sealed file
};
inline constexpr Backing kAllBackings[] = {Backing::plain, Backing::shared, Backing::sealed};
std::string name_of_backing(const testing::TestParamInfo<Backing> &info);

/// The memory of a consumer or producer as slots of one size, back to back, and buffers over it.
class ComchMemory {
public:
    ComchMemory(doca_dev *dev, Backing backing, std::size_t num_slots, std::size_t slot_len,
                std::uint32_t permissions);

    std::byte *slot(std::size_t number) const { return region.at(number % num_slots * slot_len); }
    /// A buffer without data over a slot; inventory.take_back_all() returns them all.
    doca_buf *room(std::size_t number) { return room(number, slot_len); }
    doca_buf *room(std::size_t number, std::size_t len)
    {
        return inventory.by_addr(mmap, slot(number), len);
    }
    /// A buffer full of data over the beginning of a slot.
    doca_buf *data(std::size_t number, std::size_t len)
    {
        return inventory.by_data(mmap, slot(number), len);
    }

    const std::size_t num_slots, slot_len;
    Region region;
    Mmap mmap;
    Inventory inventory;
};

struct ConsumerSettings {
    std::uint32_t num_tasks = 16; ///< and slots
    std::size_t slot_len = 4096;
    std::uint32_t imm_data_len = 0;
    Backing backing = Backing::plain;
    std::uint32_t permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE;
    doca_pe *pe = nullptr; ///< nullptr: an engine of its own
};

/// A consumer: created, configured and connected to its engine; not started. To be destroyed before
/// its end.
class ComchConsumer : public ComchContext {
public:
    struct Receipt {
        std::uint64_t slot = 0;
        doca_error_t status = DOCA_SUCCESS;
        std::string data, imm_data; ///< of a success
        std::uint32_t producer_id = 0;
    };

    explicit ComchConsumer(const ComchEnd &end, const ConsumerSettings &settings = {},
                           doca_comch_connection *connection = nullptr);
    ~ComchConsumer() override;

    doca_comch_consumer *consumer() const { return consumer_; }
    doca_ctx *ctx() const override { return doca_comch_consumer_as_ctx(consumer_); }
    std::uint32_t id() const;
    doca_error_t destroy() override;
    doca_error_t configure(std::uint32_t num_tasks) const
    {
        return doca_comch_consumer_task_post_recv_set_conf(consumer_, succeeded, failed, num_tasks);
    }
    /// Starts it, and progresses its engine until it is RUNNING; the peer has to progress that of
    /// its server or client.
    void start_and_run() const;

    doca_error_t try_alloc(doca_buf *buf, doca_task **task);
    /// Posts a slot; also in hooks. The task's user data is the number of the slot.
    doca_error_t try_post(std::size_t slot);
    void post(std::size_t slot) { must(try_post(slot)); }
    void post_all();
    void free(doca_task *task);
    std::vector<doca_task *> tasks() const;

    /// Progresses until so many posts have ended altogether.
    [[nodiscard]] bool receives(std::size_t num, Milliseconds limit = patience()) const
    {
        return progress_until([&] { return num_ended >= num; }, limit);
    }
    /// The data of the receipts that are successes.
    std::vector<std::string> texts() const;

    const ConsumerSettings settings;
    ComchMemory memory;
    std::vector<Receipt> receipts; ///< in the order of the callbacks
    std::size_t num_ended = 0;
    bool reposts = false; ///< each task that was a success, with its buffer emptied

    /// With the buffer of the task, before it is emptied, posted again or freed.
    std::function<void(doca_task *task, doca_buf *buf)> on_received;
    std::function<void(doca_task *task, doca_error_t status)> on_failed;

private:
    void drop_hooks() override;
    void free_tasks() override;
    void ended(doca_comch_consumer_task_post_recv *task, bool is_good);
    static void succeeded(doca_comch_consumer_task_post_recv *task, doca_data,
                          doca_data ctx_user_data);
    static void failed(doca_comch_consumer_task_post_recv *task, doca_data,
                       doca_data ctx_user_data);

    doca_comch_consumer *consumer_ = nullptr;
    std::unordered_map<doca_task *, doca_buf *> tasks_; // allocated, not freed
};
void PrintTo(const ComchConsumer::Receipt &receipt, std::ostream *out);

struct ProducerSettings {
    std::uint32_t num_tasks = 16; ///< and slots
    std::size_t slot_len = 4096;
    Backing backing = Backing::plain;
    std::uint32_t permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY;
    doca_pe *pe = nullptr; ///< nullptr: an engine of its own
};

/// A producer: created, configured and connected to its engine; not started. To be destroyed before
/// its end.
class ComchProducer : public ComchContext {
public:
    explicit ComchProducer(const ComchEnd &end, const ProducerSettings &settings = {},
                           doca_comch_connection *connection = nullptr);
    ~ComchProducer() override;

    doca_comch_producer *producer() const { return producer_; }
    doca_ctx *ctx() const override { return doca_comch_producer_as_ctx(producer_); }
    std::uint32_t id() const;
    doca_error_t destroy() override;
    doca_error_t configure(std::uint32_t num_tasks) const
    {
        return doca_comch_producer_task_send_set_conf(producer_, succeeded, failed, num_tasks);
    }

    doca_error_t try_alloc(const doca_buf *buf, std::string_view imm_data, std::uint32_t consumer,
                           doca_task **task, std::uint64_t number = 0);
    /// A task that sends a copy of the data, in the slot that is the next in turn (no data: no
    /// buffer).
    doca_task *task(std::string_view data, std::uint32_t consumer, std::uint64_t number = 0,
                    std::string_view imm_data = {});
    /// Submits, again as long as it is AGAIN, and does nothing else; AGAIN if the time is over.
    static doca_error_t submit(doca_task *task, Milliseconds limit = patience());
    /// Both. A task that was refused is freed.
    doca_error_t send(std::string_view data, std::uint32_t consumer, std::uint64_t number = 0,
                      std::string_view imm_data = {}, Milliseconds limit = patience());
    /// A send from submit to completion; the status, or what submit said.
    doca_error_t send_and_wait(std::string_view data, std::uint32_t consumer,
                               std::string_view imm_data = {});
    void free(doca_task *task);
    std::vector<doca_task *> tasks() const;

    /// Progresses until so many sends have ended altogether.
    [[nodiscard]] bool ends_sends(std::size_t num, Milliseconds limit = patience()) const
    {
        return progress_until([&] { return num_ended >= num; }, limit);
    }

    const ProducerSettings settings;
    ComchMemory memory;
    std::vector<SendEnd> sends; ///< in the order of the callbacks
    std::size_t num_ended = 0;

    std::function<void(doca_task *task, doca_error_t status)> on_sent;

private:
    void drop_hooks() override;
    void free_tasks() override;
    void ended(doca_comch_producer_task_send *task, bool is_good);
    static void succeeded(doca_comch_producer_task_send *task, doca_data, doca_data ctx_user_data);
    static void failed(doca_comch_producer_task_send *task, doca_data, doca_data ctx_user_data);

    doca_comch_producer *producer_ = nullptr;
    std::unordered_map<doca_task *, doca_buf *> tasks_; // allocated, not freed; their own buffers
    std::size_t next_slot_ = 0;
};

} // namespace softdoca::test
