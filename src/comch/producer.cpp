// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/producer.hpp"

#include "base/api_guard.hpp"
#include "comch/control_context.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>

LOG_SOURCE("COMCH::PRODUCER");

namespace {

using softdoca::RemoteQueue;

constexpr const char *kTooLong = "the message is longer than the receive that is next";
constexpr const char *kTooMuchImm =
    "the consumer takes less immediate data (doca_comch_consumer_set_imm_data_len)";

std::uint64_t now_ns() noexcept
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

doca_comch_producer::doca_comch_producer(std::shared_ptr<doca_comch_connection> connection)
    : doca_ctx(connection->owner().device(), "producer", Acts::at_submit),
      connection_(std::move(connection)), id_(connection_->next_id())
{
}

doca_comch_producer::~doca_comch_producer()
{
    connection_->remove_child(connection_->num_producers);
}

doca_error_t doca_comch_producer::set_conf(doca_comch_producer_task_send_completion_cb_t on_success,
                                           doca_comch_producer_task_send_completion_cb_t on_error,
                                           std::uint32_t num_tasks) noexcept
{
    constexpr const char *kCall = "doca_comch_producer_task_send_set_conf";
    const std::uint32_t max = dev().function().comch_producer.max_num_tasks;
    if (on_success == nullptr || on_error == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: both completion callbacks are needed", kCall);
    if (num_tasks == 0 || num_tasks > max)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: %u tasks are not within 1 and %u "
                           "(doca_comch_producer_cap_get_max_num_tasks)",
                           kCall, num_tasks, max);
    if (const doca_error_t bad = check_configurable(kCall); bad != DOCA_SUCCESS)
        return bad;
    on_success_ = on_success;
    on_error_ = on_error;
    num_tasks_ = num_tasks;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer::check_start() const noexcept
{
    if (num_tasks_ == 0)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "producer %p has no task type; call "
                           "doca_comch_producer_task_send_set_conf before doca_ctx_start",
                           static_cast<const void *>(this));
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer::on_start()
{
    if (!tasks_ || tasks_->num_tasks() != num_tasks_) {
        tasks_.reset();
        tasks_.emplace(*this, num_tasks_);
    }
    mark_ = pe()->copy_mark();
    bell_ = pe()->bell_for(connection_->channel().link().peer());
    bit_ = bell_ == nullptr ? softdoca::OwnBell::kNoBit : bell_->allot(*this);
    if (mark_ == nullptr || bit_ == softdoca::OwnBell::kNoBit)
        return LOG_REFUSED(DOCA_ERROR_INITIALIZATION, this,
                           "producer %p cannot start: %s (ulimit -n)", static_cast<void *>(this),
                           mark_ == nullptr ? "too many engines copy already"
                                            : std::strerror(errno));
    needs_fence_ = connection_->channel().needs_fence();
    (void)connection_->channel().link().announce(*bell_); // else when it is needed
    token_ = pe()->doorbells().introduce(*this);
    connection_->channel().listen({pe()->doorbells().mailbox(), token_});
    if (connection_->channel().is_lost())
        make_ready(); // to stop again
    return DOCA_SUCCESS;
}

// ---- tasks ----

doca_error_t doca_comch_producer::alloc(const doca_buf *buf, const std::uint8_t *imm,
                                        std::uint32_t imm_len, std::uint32_t consumer_id,
                                        doca_comch_producer_task_send **out) noexcept
{
    if (imm_len > max_imm_len() || (imm == nullptr && imm_len != 0) ||
        (buf == nullptr && imm_len == 0)) [[unlikely]]
        return LOG_REFUSED(
            DOCA_ERROR_INVALID_VALUE, this, "doca_comch_producer_task_send_alloc_init: %s",
            imm_len > max_imm_len() ? "there is more immediate data than "
                                      "doca_comch_consumer_cap_get_max_imm_data_len allows"
            : imm_len != 0          ? "imm_data is NULL"
                                    : "there is neither a buffer nor immediate data");
    Task *const task = accepts_tasks() ? tasks_->take() : nullptr;
    if (task == nullptr) [[unlikely]]
        return refuse_alloc(tasks_ ? &*tasks_ : nullptr);
    allot(*task, buf, nullptr, doca_data{});
    task->consumer_id = consumer_id;
    task->imm_len = imm_len;
    if (imm_len != 0)
        std::memcpy(task->imm.data(), imm, imm_len);
    *out = task;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer::set_imm(Task &task, const std::uint8_t *imm,
                                          std::uint32_t imm_len) noexcept
{
    if (imm_len > max_imm_len() || (imm == nullptr && imm_len != 0))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "doca_comch_producer_task_send_set_imm_data: %u bytes of immediate data "
                           "at %p are not taken; the task keeps what it has",
                           imm_len, static_cast<const void *>(imm));
    task.imm_len = imm_len;
    if (imm_len != 0)
        std::memcpy(task.imm.data(), imm, imm_len);
    return DOCA_SUCCESS;
}

const char *doca_comch_producer::fault_of(const Task &task) const noexcept
{
    const doca_buf *const buf = task.src();
    if (buf == nullptr)
        return task.imm_len == 0 ? "it has neither a buffer nor immediate data" : nullptr;
    if (buf->is_returned())
        return "its buffer was returned to the inventory";
    if (buf->next_in_list() != nullptr)
        return "its buffer is a list (doca_comch_producer_cap_get_max_buf_list_len)";
    if (!buf->is_data_inside() || !buf->mmap()->is_started())
        return "its buffer's data lies outside of the buffer, or its mmap is stopped";
    if (buf->mmap()->window() != nullptr || !buf->mmap()->has(dev()))
        return "its buffer's mmap is an import, or does not have the connection's device "
               "(doca_mmap_add_dev)";
    if (buf->data_len() == 0 && task.imm_len == 0)
        return "its buffer has no data (doca_buf_set_data), and there is no immediate data";
    if (buf->data_len() > dev().function().comch_producer.max_buf_size)
        return "its buffer is above the limit (doca_comch_producer_cap_get_max_buf_size)";
    return nullptr;
}

softdoca::MessageHead doca_comch_producer::head_of(const Task &task) const noexcept
{
    const doca_buf *const buf = task.src();
    return {id_, buf == nullptr ? 0 : static_cast<std::uint32_t>(buf->data_len()), task.imm_len,
            task.imm.data()};
}

RemoteQueue *doca_comch_producer::queue_of(std::uint32_t id) noexcept
{
    RemoteQueue *const queue = known_[id % kNumKnown].get();
    return queue != nullptr && queue->id() == id ? queue : find_queue(id);
}

RemoteQueue *doca_comch_producer::find_queue(std::uint32_t id) noexcept
{
    std::shared_ptr<RemoteQueue> found;
    const doca_error_t result = softdoca::api_guard(LOG_SITE, "a submit", [&] {
        found = connection_->find_queue(id);
        return DOCA_SUCCESS;
    });
    if (result != DOCA_SUCCESS || found == nullptr)
        return nullptr;
    known_[id % kNumKnown] = std::move(found);
    return known_[id % kNumKnown].get();
}

doca_error_t doca_comch_producer::check_task(const doca_task &task) noexcept
{
    const auto &send = static_cast<const Task &>(task);
    const char *fault = fault_of(send);
    RemoteQueue *const queue = fault == nullptr ? queue_of(send.consumer_id) : nullptr;
    if (queue != nullptr) {
        const RemoteQueue::Claim claim = queue->foresee(head_of(send));
        fault = claim == RemoteQueue::Claim::too_long       ? kTooLong
                : claim == RemoteQueue::Claim::too_much_imm ? kTooMuchImm
                                                            : nullptr;
    }
    if (fault == nullptr)
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this, "producer %p: task %p: %s",
                       static_cast<void *>(this), static_cast<const void *>(&task), fault);
}

void doca_comch_producer::fail(Task &task, const char *why) noexcept
{
    LOG_ONCE(softdoca::LogLevel::error, this, "producer %p on %s: a send to consumer %u fails: %s",
             static_cast<void *>(this), dev().name(), task.consumer_id, why);
    complete(task, DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_comch_producer::refuse_consumer(std::uint32_t id) noexcept
{
    if (connection_->channel().is_lost())
        return LOG_REFUSED(DOCA_ERROR_NOT_CONNECTED, this,
                           "producer %p: the connection was lost; progress until it is IDLE",
                           static_cast<void *>(this));
    return LOG_REFUSED(DOCA_ERROR_NOT_CONNECTED, this,
                       "producer %p: the peer has no consumer %u (any more); see the consumer "
                       "events",
                       static_cast<void *>(this), id);
}

/// Programs spin on this: it gives the CPU away now and then, and says what is missing.
doca_error_t doca_comch_producer::say_again(RemoteQueue &queue) noexcept
{
    constexpr std::uint32_t kTriesPerLook = 256;
    constexpr std::uint64_t kPatienceNs = 1'000'000'000;
    (void)pe()->empty_turn();
    if (++num_again_ % kTriesPerLook != 0)
        return DOCA_ERROR_AGAIN;
    const std::uint64_t now = now_ns();
    if (again_since_ns_ == 0)
        again_since_ns_ = now;
    else if (now - again_since_ns_ > kPatienceNs)
        LOG_WAIT(this, "producer %p on %s waits: consumer %u (pid %d) has no receive posted",
                 static_cast<void *>(this), dev().name(), queue.id(),
                 queue.channel().link().peer_pid());
    LOG_ONCE(softdoca::LogLevel::info, this,
             "producer %p: consumer %u has no receive posted; submit answers AGAIN until it has",
             static_cast<void *>(this), queue.id());
    return DOCA_ERROR_AGAIN;
}

doca_error_t doca_comch_producer::answer_claim(RemoteQueue::Claim claim, Task &task,
                                               RemoteQueue &queue) noexcept
{
    switch (claim) {
    case RemoteQueue::Claim::none_posted:
        if (connection_->channel().is_lost() || queue.is_expired())
            return refuse_consumer(task.consumer_id);
        if (!streams_.empty()) // the consumer may wait for these before it posts again
            (void)pump_streams();
        return say_again(queue);
    case RemoteQueue::Claim::too_long:
        fail(task, kTooLong);
        return DOCA_SUCCESS;
    case RemoteQueue::Claim::too_much_imm:
        fail(task, kTooMuchImm);
        return DOCA_SUCCESS;
    case RemoteQueue::Claim::claimed:
        break;
    }
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer::begin(doca_task &base) noexcept
{
    Task &task = static_cast<Task &>(base);
    RemoteQueue *const queue = queue_of(task.consumer_id);
    if (queue == nullptr) [[unlikely]]
        return refuse_consumer(task.consumer_id);
    if (const char *const fault = fault_of(task); fault != nullptr) [[unlikely]] {
        fail(task, fault);
        return DOCA_SUCCESS;
    }
    const doca_buf *const buf = task.src();
    const softdoca::MessageHead head = head_of(task);
    // A consumer that stops waits for those who set their mark before it said so.
    mark_->begin(needs_fence_);
    if (queue->is_expired()) [[unlikely]] {
        mark_->end();
        known_[task.consumer_id % kNumKnown].reset();
        return refuse_consumer(task.consumer_id);
    }
    if (head.len > softdoca::kEagerSize && !queue->is_direct()) {
        mark_->end();
        return send_long(task, head, known_[task.consumer_id % kNumKnown]);
    }
    std::uint64_t count = 0;
    const RemoteQueue::Claim claim = queue->claim(head, &count);
    const bool is_sent = claim == RemoteQueue::Claim::claimed &&
                         queue->fill(count, head, buf == nullptr ? nullptr : buf->data());
    if (is_sent) [[likely]]
        queue->tell();
    mark_->end();
    if (!is_sent) [[unlikely]] {
        if (claim != RemoteQueue::Claim::claimed)
            return answer_claim(claim, task, *queue);
        fail(task, "the consumer's buffer is not where its memory is");
        return DOCA_SUCCESS;
    }
    num_again_ = 0;
    again_since_ns_ = 0;
    complete(task, DOCA_SUCCESS);
    return DOCA_SUCCESS;
}

// ---- long messages ----

doca_error_t doca_comch_producer::send_long(Task &task, const softdoca::MessageHead &head,
                                            const std::shared_ptr<RemoteQueue> &queue) noexcept
{
    task.stream.queue = queue;
    task.stream.is_freed = false;
    task.stream.mailbox = pe()->doorbells().mailbox();
    task.stream.token = token_;
    mark_->begin(needs_fence_);
    const bool is_expired = queue->is_expired();
    const RemoteQueue::Claim claim =
        is_expired ? RemoteQueue::Claim::none_posted : queue->begin_stream(task, head);
    RemoteQueue::Pumped pumped = RemoteQueue::Pumped::waiting;
    if (claim == RemoteQueue::Claim::claimed)
        pumped = queue->pump(task, task.src()->data());
    mark_->end();
    if (claim != RemoteQueue::Claim::claimed) {
        task.stream.queue.reset();
        return answer_claim(claim, task, *queue);
    }
    num_again_ = 0;
    again_since_ns_ = 0;
    if (pumped != RemoteQueue::Pumped::waiting) {
        task.stream.queue.reset();
        complete(task,
                 pumped == RemoteQueue::Pumped::done ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_RESET);
        return DOCA_SUCCESS;
    }
    streams_.push_back(task);
    wait_for_room();
    return DOCA_SUCCESS;
}

void doca_comch_producer::wait_for_room() noexcept
{
    if (!static_cast<softdoca::ListHook<softdoca::RoomWaiter> *>(this)->is_linked())
        pe()->doorbells().add(*this);
}

bool doca_comch_producer::look_for_room() noexcept
{
    for (doca_task *task = streams_.front(); task != nullptr;
         task = softdoca::TaskQueue::next(*task)) {
        const Task &send = static_cast<const Task &>(*task);
        if (send.stream.queue->has_room_for(send)) {
            has_room_ = true;
            make_ready();
            return true;
        }
    }
    return streams_.empty();
}

bool doca_comch_producer::ask_for_bell() noexcept
{
    bool is_told = connection_->channel().link().announce(*bell_);
    for (doca_task *task = streams_.front(); task != nullptr && is_told;
         task = softdoca::TaskQueue::next(*task))
        static_cast<Task &>(*task).stream.queue->ask_for_bell(static_cast<Task &>(*task),
                                                              bell_->id(), bit_);
    return is_told;
}

void doca_comch_producer::end_stream(Task &task, doca_error_t status) noexcept
{
    streams_.remove(task);
    task.stream.queue.reset();
    if (task.stream.is_freed)
        end_freed(task);
    else
        complete(task, status);
}

/// True if one of them has ended.
bool doca_comch_producer::pump_streams() noexcept
{
    bool has_ended = false;
    for (doca_task *next = streams_.front(); next != nullptr;) {
        Task &task = static_cast<Task &>(*next);
        next = softdoca::TaskQueue::next(*next);
        mark_->begin(needs_fence_);
        const RemoteQueue::Pumped pumped = task.stream.queue->pump(task, task.src()->data());
        mark_->end();
        if (pumped == RemoteQueue::Pumped::waiting)
            continue;
        has_ended = true;
        end_stream(task, pumped == RemoteQueue::Pumped::done ? DOCA_SUCCESS
                                                             : DOCA_ERROR_CONNECTION_RESET);
    }
    if (!streams_.empty())
        wait_for_room();
    return has_ended;
}

void doca_comch_producer::end_streams(doca_error_t status) noexcept
{
    for (doca_task *next = streams_.front(); next != nullptr;) {
        Task &task = static_cast<Task &>(*next);
        next = softdoca::TaskQueue::next(*next);
        if (task.stream.queue->cancel_stream(task))
            end_stream(task, status);
        else if (connection_->channel().is_lost()) {
            task.stream.queue->abandon_stream(task);
            end_stream(task, status);
        }
    }
}

bool doca_comch_producer::on_withdraw(doca_task &base) noexcept
{
    Task &task = static_cast<Task &>(base);
    if (task.stream.queue == nullptr)
        return true;
    if (!task.stream.queue->cancel_stream(task)) {
        task.stream.is_freed = true; // its consumer waits for the rest of it
        return false;
    }
    streams_.remove(task);
    task.stream.queue.reset();
    return true;
}

// ---- life ----

bool doca_comch_producer::on_turn() noexcept
{
    has_room_ = false;
    if (connection_->channel().is_lost()) {
        end_streams(DOCA_ERROR_CONNECTION_RESET);
        if (state() == DOCA_CTX_STATE_RUNNING) {
            stop_by_itself();
            return true;
        }
    } else if (!streams_.empty()) {
        (void)pump_streams();
    }
    rest(); // what has ended is in the queue of tasks
    return false;
}

/// What has begun must be ended, because its consumer waits for it; the rest is taken back.
void doca_comch_producer::on_stop() noexcept
{
    end_streams(connection_->channel().is_lost() ? DOCA_ERROR_CONNECTION_RESET
                                                 : DOCA_ERROR_SHUTDOWN);
}

bool doca_comch_producer::is_drained() noexcept
{
    return streams_.empty();
}

void doca_comch_producer::on_idle() noexcept
{
    static_cast<softdoca::ListHook<softdoca::RoomWaiter> *>(this)->unlink();
    connection_->channel().unlisten(token_);
    pe()->doorbells().forget(token_);
    if (bit_ != softdoca::OwnBell::kNoBit)
        pe()->release_bit(*bell_, bit_);
    bit_ = softdoca::OwnBell::kNoBit;
    known_ = {};
}

void doca_comch_producer::report_unfinished() noexcept
{
    if (!streams_.empty())
        LOG_WAIT(this,
                 "producer %p on %s cannot become idle: a message to consumer %u (pid %d) is only "
                 "partly taken; its program must progress, or end",
                 static_cast<void *>(this), dev().name(),
                 static_cast<const Task *>(streams_.front())->consumer_id,
                 connection_->channel().link().peer_pid());
}

void doca_comch_producer::report_suspended() noexcept
{
    report_unfinished();
}

void doca_comch_producer::deliver(doca_task &base) noexcept
{
    const doca_error_t status = base.status();
    const auto callback = status == DOCA_SUCCESS ? on_success_ : on_error_;
    const doca_data task_data = base.user_data();
    end_flight(base, status);
    callback(static_cast<Task *>(&base), task_data, user_data());
}
