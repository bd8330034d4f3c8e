// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/consumer.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "base/prefetch.hpp"
#include "comch/control_context.hpp"
#include "fabric/window_export.hpp"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

LOG_SOURCE("COMCH::CONSUMER");

using softdoca::SlotUse;

namespace {

constexpr auto kWithdrawalPatience = std::chrono::seconds(1);

} // namespace

doca_comch_consumer::doca_comch_consumer(std::shared_ptr<doca_comch_connection> connection,
                                         doca_mmap &mmap)
    : doca_ctx(connection->owner().device(), "consumer", Acts::at_submit), watch_(*this),
      connection_(std::move(connection)), mmap_(mmap), id_(connection_->next_id())
{
    static const std::atomic<std::uint64_t> kNever{0};
    watch_.expect(kNever, 0);
}

doca_comch_consumer::~doca_comch_consumer()
{
    connection_->remove_child(connection_->num_consumers);
}

doca_error_t doca_comch_consumer::set_max_imm_len(std::uint32_t len) noexcept
{
    constexpr const char *kCall = "doca_comch_consumer_set_imm_data_len";
    const std::uint32_t max =
        std::min(dev().function().comch.max_imm_data_len, softdoca::kMaxImmLen);
    if (len > max)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: %u bytes are above %u (doca_comch_consumer_cap_get_max_imm_data_"
                           "len)",
                           kCall, len, max);
    if (const doca_error_t bad = check_configurable(kCall); bad != DOCA_SUCCESS)
        return bad;
    max_imm_len_ = len;
    return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer::set_conf(doca_comch_consumer_task_post_recv_completion_cb_t on_success,
                              doca_comch_consumer_task_post_recv_completion_cb_t on_error,
                              std::uint32_t num_tasks) noexcept
{
    constexpr const char *kCall = "doca_comch_consumer_task_post_recv_set_conf";
    const std::uint32_t max = dev().function().comch_consumer.max_num_tasks;
    if (on_success == nullptr || on_error == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: both completion callbacks are needed", kCall);
    if (num_tasks == 0 || num_tasks > max)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: %u tasks are not within 1 and %u "
                           "(doca_comch_consumer_cap_get_max_num_tasks)",
                           kCall, num_tasks, max);
    if (const doca_error_t bad = check_configurable(kCall); bad != DOCA_SUCCESS)
        return bad;
    on_success_ = on_success;
    on_error_ = on_error;
    num_tasks_ = num_tasks;
    return DOCA_SUCCESS;
}

// ---- start ----

doca_error_t doca_comch_consumer::check_start() const noexcept
{
    if (num_tasks_ == 0)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "consumer %p has no task type; call "
                           "doca_comch_consumer_task_post_recv_set_conf before doca_ctx_start",
                           static_cast<const void *>(this));
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer::on_start()
{
    if (!tasks_ || tasks_->num_tasks() != num_tasks_) {
        tasks_.reset();
        tasks_.emplace(*this, num_tasks_);
    }
    if (!open_memory())
        return LOG_REFUSED(DOCA_ERROR_INITIALIZATION, this,
                           "consumer %p cannot start: there is no shared memory: %s (ulimit -n)",
                           static_cast<void *>(this), std::strerror(errno));
    bell_ = pe()->bell_for(connection_->channel().link().peer());
    bit_ = bell_ == nullptr ? softdoca::OwnBell::kNoBit : bell_->allot(*this);
    if (bit_ == softdoca::OwnBell::kNoBit)
        return LOG_REFUSED(DOCA_ERROR_INITIALIZATION, this,
                           "consumer %p cannot start: its engine has no bell left for process %d: "
                           "%s",
                           static_cast<void *>(this), connection_->channel().link().peer_pid(),
                           std::strerror(errno));
    if (was_started_)
        id_ = connection_->next_id();
    was_started_ = true;
    token_ = pe()->doorbells().introduce(*this);
    connection_->channel().listen({pe()->doorbells().mailbox(), token_});
    watch_.set_mode_word(queue().consumer.mode, connection_->channel().may_be_hot());
    note_next();
    is_attached_ = announce();
    make_ready(); // to announce it, if that could not be, and to see that it is known
    return DOCA_ERROR_IN_PROGRESS;
}

bool doca_comch_consumer::open_memory()
{
    num_slots_ = std::bit_ceil(num_tasks_);
    round_shift_ = std::countr_zero(num_slots_);
    memory_ = softdoca::SharedMemory::create("softdoca-consumer",
                                             softdoca::ReceiveQueue::memory_size(num_slots_),
                                             F_SEAL_SEAL, &memory_fd_);
    if (!memory_.is_valid())
        return false;
    queue().magic = softdoca::ReceiveQueue::kMagic;
    queue().version = softdoca::wire::kVersion;
    slots_ = queue().slots();
    posted_.assign(num_slots_, {});
    head_ = tail_ = 0;
    num_taken_ = num_unstaged_ = staged_len_ = 0;
    is_flushed_ = owes_bell_ = false;
    softdoca::WindowOffer offer;
    offer.addr = mmap_.base();
    offer.len = mmap_.len();
    offer.permissions = mmap_.permissions();
    if (auto backing = softdoca::find_backing(offer)) {
        window_fd_ = std::move(backing->fd);
        window_offset_ = backing->offset;
        window_base_ = mmap_.base();
    }
    return true;
}

/// The memory goes by the socket, the news by the ring: it must be in order with messages.
bool doca_comch_consumer::announce()
{
    softdoca::Channel &channel = connection_->channel();
    if (!channel.link().announce(*bell_))
        return false;
    auto message = softdoca::wire::make<softdoca::wire::AttachQueue>();
    message.channel = channel.peer_number();
    message.bell_id = bell_->id();
    message.bit = bit_;
    message.id = id_;
    message.num_slots = num_slots_;
    message.max_imm_len = max_imm_len_;
    message.window_offset = window_offset_;
    message.window_len = window_base_ == nullptr ? 0 : mmap_.len();
    const int fds[] = {memory_fd_.get(), window_fd_.get()};
    if (!channel.link().tell(message, {fds, window_base_ == nullptr ? 1u : 2u}))
        return false;
    connection_->notify(softdoca::MessageKind::new_consumer, id_);
    memory_fd_.reset(); // both sides have it mapped, or will
    window_fd_.reset();
    return true;
}

bool doca_comch_consumer::go_on_starting() noexcept
{
    rest();
    if (connection_->channel().is_lost()) {
        stop_by_itself();
        return true;
    }
    if (!is_attached_) {
        (void)softdoca::api_guard(LOG_SITE, "an announcement", [this] {
            is_attached_ = announce();
            return DOCA_SUCCESS;
        });
        if (!is_attached_) {
            look_again();
            return false;
        }
    }
    if (queue().is_known.load(std::memory_order_acquire) == 0) {
        if (!connection_->send_kept_notices()) // the connection's own thread need not turn
            look_again();
        return false;
    }
    finish_start();
    return true;
}

// ---- receives ----

doca_error_t doca_comch_consumer::alloc(doca_buf *buf,
                                        doca_comch_consumer_task_post_recv **out) noexcept
{
    if (const char *const fault = fault_of(buf); fault != nullptr) [[unlikely]]
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "doca_comch_consumer_task_post_recv_alloc_init: consumer %p: %s",
                           static_cast<void *>(this), fault);
    Task *const task = accepts_tasks() ? tasks_->take() : nullptr;
    if (task == nullptr) [[unlikely]]
        return refuse_alloc(tasks_ ? &*tasks_ : nullptr);
    allot(*task, nullptr, buf, doca_data{});
    task->producer_id = 0;
    task->imm_len = 0;
    *out = task;
    return DOCA_SUCCESS;
}

const char *doca_comch_consumer::fault_of(const doca_buf *buf) const noexcept
{
    if (buf == nullptr || buf->is_returned())
        return "the buffer is NULL, or was returned to its inventory";
    if (buf->mmap() != &mmap_)
        return "the buffer is not of the mmap that the consumer was created with";
    if (buf->next_in_list() != nullptr)
        return "the buffer is a list (doca_comch_consumer_cap_get_max_buf_list_len)";
    if (!buf->is_data_inside())
        return "the buffer's data lies outside of the buffer";
    if (buf->len() > dev().function().comch_consumer.max_buf_size)
        return "the buffer is above the limit (doca_comch_consumer_cap_get_max_buf_size)";
    return nullptr;
}

doca_error_t doca_comch_consumer::check_task(const doca_task &task) noexcept
{
    const char *const fault = fault_of(task.dst());
    if (fault == nullptr)
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this, "consumer %p: task %p: %s",
                       static_cast<void *>(this), static_cast<const void *>(&task), fault);
}

doca_error_t doca_comch_consumer::begin(doca_task &base) noexcept
{
    Task &task = static_cast<Task &>(base);
    if (const char *const fault = fault_of(task.dst()); fault != nullptr) [[unlikely]] {
        LOG_ONCE(softdoca::LogLevel::error, this, "consumer %p on %s: a receive fails: %s",
                 static_cast<void *>(this), dev().name(), fault);
        complete(task, DOCA_ERROR_INVALID_VALUE);
        return DOCA_SUCCESS;
    }
    task.producer_id = 0;
    task.imm_len = 0;
    post(task);
    return DOCA_SUCCESS;
}

/// There is a slot for each task.
void doca_comch_consumer::post(Task &task) noexcept
{
    const doca_buf &buf = *task.dst();
    softdoca::ReceiveSlot &next = slot(tail_);
    Posted &record = posted_[tail_ & (num_slots_ - 1)];
    record = {&task, static_cast<std::uint32_t>(buf.tailroom())};
    next.capacity = record.capacity;
    if (window_base_ != nullptr)
        next.place = static_cast<std::uint64_t>(buf.data() + buf.data_len() - window_base_);
    task.count = tail_;
    next.number.store(number(tail_, SlotUse::posted), std::memory_order_release);
    ++tail_;
}

/// A producer may be filling it: it is marked, and what comes is dropped.
bool doca_comch_consumer::on_withdraw(doca_task &base) noexcept
{
    const std::uint64_t count = static_cast<const Task &>(base).count;
    if (count - head_ >= tail_ - head_ || posted(count) != &base)
        return true; // it has ended already
    std::uint64_t expected = number(count, SlotUse::posted);
    slot(count).number.compare_exchange_strong(expected, number(count, SlotUse::withdrawn));
    posted(count) = nullptr;
    if (window_base_ != nullptr) { // nor may it be writing to the buffer, when this returns
        softdoca::CopiesUnderWay copies;
        copies.note(connection_->channel().link().page()->page());
        copies.wait_for(kWithdrawalPatience);
    }
    if (count == head_)
        on_bell();
    return true;
}

/// Where the next message will show.
void doca_comch_consumer::note_next() noexcept
{
    if (staged_len_ != 0)
        watch_.expect(queue().producer.num_staged, num_unstaged_);
    else
        watch_.expect(slot(head_).number, number(head_, SlotUse::posted));
}

void doca_comch_consumer::on_bell() noexcept
{
    if (watch_.has_come())
        pe()->doorbells().note_rung(watch_);
    make_ready();
}

/// What the producer wrote is read once, and believed only as far as this side's record goes.
doca_comch_consumer::Head doca_comch_consumer::look() noexcept
{
    for (; head_ != tail_; ++head_) {
        const std::uint64_t seen = slot(head_).number.load(std::memory_order_acquire);
        if (seen == number(head_, SlotUse::filled))
            return staged_len_ != 0 ? Head::unfinished : Head::message;
        if (staged_len_ != 0)
            return Head::broken;
        if (seen == number(head_, SlotUse::posted))
            return Head::nothing;
        if (seen == number(head_, SlotUse::withdrawn) && posted(head_) == nullptr)
            continue;
        if (seen != number(head_, SlotUse::empty))
            return Head::broken;
        Task *const task = std::exchange(posted(head_), nullptr); // its room is still there
        ++head_;
        if (task != nullptr)
            post(*task);
        --head_;
    }
    return Head::nothing;
}

bool doca_comch_consumer::on_turn() noexcept
{
    if (state() == DOCA_CTX_STATE_STARTING)
        return go_on_starting();
    if (owes_bell_) [[unlikely]]
        tell_producer();
    if (state() == DOCA_CTX_STATE_RUNNING) {
        // In this order: what came before the end is delivered before it.
        const bool is_over = connection_->channel().is_lost();
        for (std::uint64_t before = head_ - 1; before != head_;) { // those of freed tasks are none
            before = head_;
            if (receive())
                return true;
        }
        if (is_over) {
            stop_by_itself();
            return true;
        }
    }
    rest();
    return false;
}

/// Takes the message at the head, and delivers it.
bool doca_comch_consumer::receive() noexcept
{
    const Head what = look();
    note_next();
    if (what == Head::nothing)
        return false;
    if (what == Head::broken) {
        lose_connection();
        return false;
    }
    softdoca::ReceiveSlot &from = slot(head_);
    softdoca::prefetch_for_write(&from); // it is posted anew soon
    const Posted record = posted_[head_ & (num_slots_ - 1)];
    Task *const task = record.task;
    const softdoca::PayloadKind kind = from.kind;
    const std::uint32_t len = from.len;
    const std::uint16_t imm_len = from.imm_len;
    if (what == Head::message) {
        if (len > record.capacity || imm_len > max_imm_len_) {
            lose_connection();
            return false;
        }
        if (task != nullptr) {
            task->producer_id = from.producer_id;
            task->imm_len = imm_len;
            if (imm_len != 0)
                std::memcpy(task->imm, from.imm, imm_len);
        }
    }
    switch (kind) {
    case softdoca::PayloadKind::eager:
        if (len > softdoca::kEagerSize || what == Head::unfinished)
            break;
        if (task != nullptr && len != 0) {
            doca_buf &buf = *task->dst();
            for (std::uint32_t place = 0; place < len; place += 64)
                __builtin_prefetch(from.payload + place);
            softdoca::copy_eager(buf.data() + buf.data_len(), from.payload, len);
            buf.set_data_len(buf.data_len() + len);
        }
        finish_head(task);
        return task != nullptr;
    case softdoca::PayloadKind::direct:
        if (window_base_ == nullptr || what == Head::unfinished)
            break;
        if (task != nullptr)
            task->dst()->set_data_len(task->dst()->data_len() + len);
        finish_head(task);
        return task != nullptr;
    case softdoca::PayloadKind::staged:
        if (!take_staged(from, task))
            return false;
        finish_head(task);
        return task != nullptr;
    }
    lose_connection();
    return false;
}

/// The head has been taken. The callback is the last step.
void doca_comch_consumer::finish_head(Task *task) noexcept
{
    posted(head_) = nullptr;
    ++head_;
    note_next();
    if (state() != DOCA_CTX_STATE_RUNNING) {
        if (task != nullptr)
            complete(*task, DOCA_SUCCESS);
        return;
    }
    if (watch_.has_come())
        stay_ready();
    if (task != nullptr)
        deliver_now(*task);
}

void doca_comch_consumer::lose_connection() noexcept
{
    LOG_ONCE(softdoca::LogLevel::error, this,
             "consumer %p on %s: process %d wrote to its shared memory what no producer of this "
             "release writes; the connection ends",
             static_cast<void *>(this), dev().name(), connection_->channel().link().peer_pid());
    connection_->channel().lose(); // all who use it are told, this one too
}

void doca_comch_consumer::deliver_now(Task &task) noexcept
{
    const doca_data task_data = task.user_data();
    end_flight(task, DOCA_SUCCESS);
    on_success_(&task, task_data, user_data());
}

void doca_comch_consumer::deliver(doca_task &base) noexcept
{
    const doca_error_t status = base.status();
    const auto callback = status == DOCA_SUCCESS ? on_success_ : on_error_;
    const doca_data task_data = base.user_data();
    end_flight(base, status);
    callback(static_cast<Task *>(&base), task_data, user_data());
}
