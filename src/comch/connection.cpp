// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/connection.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "comch/control_context.hpp"
#include "comch/remote_queue.hpp"

#include <cerrno>
#include <mutex>

LOG_SOURCE("COMCH::CONNECTION");

namespace {

doca_error_t check(const char *call, const doca_comch_connection *connection) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "connection", connection);
}

} // namespace

std::shared_ptr<doca_comch_connection>
doca_comch_connection::make(softdoca::ControlContext &owner,
                            std::shared_ptr<softdoca::Channel> channel)
{
    auto connection = std::make_shared<doca_comch_connection>(owner, std::move(channel));
    return connection->allot_bits() ? connection : nullptr;
}

doca_comch_connection::doca_comch_connection(softdoca::ControlContext &owner,
                                             std::shared_ptr<softdoca::Channel> channel) noexcept
    : owner_(owner), channel_(std::move(channel)), watch_(*this), room_target_(*this)
{
}

doca_comch_connection::~doca_comch_connection()
{
    softdoca::log_forget(this);
}

bool doca_comch_connection::allot_bits()
{
    bell_ = owner_.pe()->bell_for(channel_->link().peer());
    if (bell_ == nullptr)
        return false;
    message_bit_ = bell_->allot(*this);
    room_bit_ = bell_->allot(room_target_);
    if (message_bit_ == softdoca::OwnBell::kNoBit || room_bit_ == softdoca::OwnBell::kNoBit) {
        errno = ENOSPC;
        close();
        return false;
    }
    struct Undo { // if there is no memory for the rest
        doca_comch_connection *connection;
        ~Undo()
        {
            if (connection != nullptr)
                connection->close();
        }
    } undo{this};
    token_ = owner_.doorbells().introduce(*this);
    channel_->listen({owner_.doorbells().mailbox(), token_});
    undo.connection = nullptr;
    return true;
}

void doca_comch_connection::open() noexcept
{
    watch_.set_mode_word(channel_->in().mode(), channel_->may_be_hot());
    channel_->in().expect_in(watch_);
    stage_.store(Stage::open, std::memory_order_release);
    on_bell(); // what came before
}

void doca_comch_connection::close() noexcept
{
    if (bell_ == nullptr) {
        stage_.store(Stage::closed, std::memory_order_release);
        return;
    }
    flush_waiting();
    static_cast<softdoca::ListHook<softdoca::RoomWaiter> *>(this)->unlink();
    owner_.remove_arrived(*this);
    owner_.doorbells().remove(watch_);
    owner_.doorbells().forget(token_);
    channel_->unlisten(token_);
    for (const std::uint32_t bit : {message_bit_, room_bit_})
        if (bit != softdoca::OwnBell::kNoBit)
            owner_.pe()->release_bit(*bell_, bit);
    bell_ = nullptr;
    stage_.store(Stage::closed, std::memory_order_release);
}

void doca_comch_connection::let_go() noexcept
{
    if (stage() != Stage::closed || num_children() != 0)
        return;
    queues_.clear(); // they keep the channel too
    channel_.reset();
}

// ---- sending ----

bool doca_comch_connection::is_taken(const doca_comch_task_send &task) const noexcept
{
    softdoca::SendRing &out = channel_->out();
    return task.sequence < out.num_taken() + out.recv_queue();
}

void doca_comch_connection::send(doca_comch_task_send &task) noexcept
{
    if (stage() != Stage::open || channel_->is_lost()) {
        task.sequence = ~std::uint64_t{0}; // never taken: ends with those that wait, in order
        if (waiting_.empty())
            owner_.complete_send(task, DOCA_ERROR_CONNECTION_RESET);
        else
            waiting_.push_back(task);
        return;
    }
    if (task.len > channel_->max_msg_size()) {
        LOG_ONCE(softdoca::LogLevel::error, this,
                 "%s \"%s\": a message of %u bytes is above the peer's limit of %u "
                 "(set_max_msg_size on the other side)",
                 owner_.kind(), owner_.shown_name(), task.len, channel_->max_msg_size());
        return owner_.complete_send(task, DOCA_ERROR_INVALID_VALUE);
    }
    const std::span message(static_cast<const std::byte *>(task.message), task.len);
    if (!channel_->out().push(softdoca::MessageKind::data, 0, message)) [[unlikely]] {
        // The ring has room for all tasks and the peer's whole queue: it was not run as agreed.
        channel_->lose();
        return owner_.complete_send(task, DOCA_ERROR_CONNECTION_RESET);
    }
    channel_->out().tell(channel_->message_bell());
    task.sequence = counters_.num_sent++;
    counters_.num_sent_bytes += task.len;
    if (waiting_.empty() && is_taken(task)) [[likely]]
        return owner_.complete_send(task, DOCA_SUCCESS);
    waiting_.push_back(task);
    wait_for_room();
}

void doca_comch_connection::wait_for_room() noexcept
{
    if (!static_cast<softdoca::ListHook<softdoca::RoomWaiter> *>(this)->is_linked())
        owner_.doorbells().add(*this);
}

void doca_comch_connection::complete_taken() noexcept
{
    while (!waiting_.empty() &&
           is_taken(static_cast<const doca_comch_task_send &>(*waiting_.front())))
        owner_.complete_send(static_cast<doca_comch_task_send &>(waiting_.pop_front()),
                             DOCA_SUCCESS);
}

void doca_comch_connection::flush_waiting() noexcept
{
    if (!waiting_.empty())
        complete_taken(); // what the peer took before it went is a success
    while (!waiting_.empty())
        owner_.complete_send(static_cast<doca_comch_task_send &>(waiting_.pop_front()),
                             DOCA_ERROR_CONNECTION_RESET);
}

std::size_t doca_comch_connection::num_waiting() const noexcept
{
    std::size_t num = 0;
    for (const doca_task *task = waiting_.front(); task != nullptr;
         task = softdoca::TaskQueue::next(*task))
        ++num;
    return num;
}

bool doca_comch_connection::look_for_room() noexcept
{
    complete_taken();
    const bool is_done = waiting_.empty() && send_kept_notices();
    if (is_done) {
        channel_->out().set_wants_bell(false);
        if (stage() == Stage::leaving)
            owner_.on_bell();
    }
    return is_done;
}

bool doca_comch_connection::ask_for_bell() noexcept
{
    channel_->out().set_wants_bell(true);
    return true;
}

void doca_comch_connection::RoomTarget::on_bell() noexcept
{
    if (connection.stage() == Stage::opening || connection.stage() == Stage::closed)
        return; // rung for whoever had the bit before
    if (connection.look_for_room())
        static_cast<softdoca::ListHook<softdoca::RoomWaiter> &>(connection).unlink();
}

bool doca_comch_connection::leave() noexcept
{
    if (stage() == Stage::closed)
        return true;
    if (!channel_->is_lost()) {
        complete_taken();
        if (!waiting_.empty()) {
            wait_for_room();
            return false;
        }
        // Notices that still wait for room are not waited for: the goodbye says as much. For itself
        // there is room, as no message waits, unless the ring was not run as agreed.
        if (channel_->out().push(softdoca::MessageKind::goodbye, 0, {}))
            channel_->out().tell(channel_->message_bell());
        else
            channel_->lose();
    }
    close();
    return true;
}

// ---- receiving ----

void doca_comch_connection::on_bell() noexcept
{
    if (stage() == Stage::opening) {
        owner_.on_bell();
        return;
    }
    if (has_kept_notices_.load(std::memory_order_relaxed))
        wait_for_room();
    if (watch_.has_come())
        owner_.doorbells().note_rung(watch_);
    else if (!channel_->is_lost() && !channel_->is_closed_by_peer())
        return;
    owner_.add_arrived(*this);
}

/// Where the next message will be looked for, and whether there is one already.
void doca_comch_connection::note_next() noexcept
{
    channel_->in().expect_in(watch_);
    if (!watch_.has_come() && !channel_->is_lost() && !channel_->is_closed_by_peer())
        owner_.remove_arrived(*this);
    else
        owner_.rotate_arrived();
}

bool doca_comch_connection::deliver() noexcept
{
    constexpr int kMaxSilent = 64; // of a peer that sends nothing but notices which nobody hears
    for (int num_silent = 0;; ++num_silent) {
        if (num_silent == kMaxSilent) {
            owner_.rotate_arrived();
            return false;
        }
        // In this order: what was sent before the end is delivered before it.
        const bool is_over = channel_->is_lost() || channel_->is_closed_by_peer();
        switch (channel_->in().look()) {
        case softdoca::ReceiveRing::State::nothing:
            if (is_over)
                return owner_.on_peer_gone(*this, channel_->is_lost());
            owner_.remove_arrived(*this);
            return false;
        case softdoca::ReceiveRing::State::broken:
            LOG_ONCE(softdoca::LogLevel::error, this,
                     "%s \"%s\": process %d wrote to the shared memory of its connection what no "
                     "peer of this release writes; the connection ends",
                     owner_.kind(), owner_.shown_name(), channel_->link().peer_pid());
            channel_->lose();
            return owner_.on_peer_gone(*this, true);
        case softdoca::ReceiveRing::State::message:
            break;
        }
        switch (channel_->in().kind()) {
        case softdoca::MessageKind::data:
            if (deliver_message())
                return true;
            break;
        case softdoca::MessageKind::goodbye:
            channel_->in().take(nullptr);
            return owner_.on_peer_gone(*this, false);
        case softdoca::MessageKind::new_consumer:
            if (channel_->find_queue(channel_->in().id()) == nullptr && !is_over) {
                owner_.remove_arrived(*this); // its memory comes by the socket, then the agent
                return false;                 // tells us
            }
            if (deliver_new_consumer())
                return true;
            break;
        case softdoca::MessageKind::expired_consumer:
            if (deliver_expired_consumer())
                return true;
            break;
        }
    }
}

bool doca_comch_connection::deliver_message() noexcept
{
    softdoca::ReceiveRing &in = channel_->in();
    const std::uint32_t len = in.len();
    auto *const message = reinterpret_cast<std::uint8_t *>(owner_.message_room());
    in.take(owner_.message_room());
    in.note_taken(channel_->room_bell(), channel_->needs_fence());
    ++counters_.num_received;
    counters_.num_received_bytes += len;
    note_next();
    if (stage() != Stage::open)
        return false; // nobody listens any more
    owner_.on_message()(nullptr, message, len, this);
    return true;
}

bool doca_comch_connection::deliver_new_consumer() noexcept
{
    const std::uint32_t id = channel_->in().id();
    channel_->in().take(nullptr);
    note_next();
    const auto queue = channel_->find_queue(id);
    if (queue == nullptr)
        return false;
    // The consumer may run from now on: programs only spin on their sends once they know of it.
    auto &memory = *reinterpret_cast<softdoca::ReceiveQueue *>(queue->memory.data());
    memory.is_known.store(1, std::memory_order_release);
    queue->bell.ring();
    if (owner_.on_new_consumer() == nullptr || stage() != Stage::open)
        return false;
    owner_.on_new_consumer()(nullptr, this, id);
    return true;
}

bool doca_comch_connection::deliver_expired_consumer() noexcept
{
    const std::uint32_t id = channel_->in().id();
    channel_->in().take(nullptr);
    note_next();
    const bool was_known = channel_->find_queue(id) != nullptr;
    expire(id);
    if (!was_known || owner_.on_expired_consumer() == nullptr || stage() != Stage::open)
        return false;
    owner_.on_expired_consumer()(nullptr, this, id);
    return true;
}

// ---- consumers and producers ----

bool doca_comch_connection::add_child(std::atomic<std::uint32_t> &count, std::uint32_t max) noexcept
{
    if (count.fetch_add(1) < max) {
        owner_.add_child();
        return true;
    }
    count.fetch_sub(1);
    return false;
}

void doca_comch_connection::remove_child(std::atomic<std::uint32_t> &count) noexcept
{
    count.fetch_sub(1);
    owner_.remove_child();
}

/// Never 0, which programs take for none, nor 0xffff, which they take for invalid.
std::uint32_t doca_comch_connection::next_id() noexcept
{
    const std::scoped_lock lock(lock_);
    if (++last_id_ % 0x10000 == 0xffff)
        ++last_id_;
    if (last_id_ == 0)
        ++last_id_;
    return last_id_;
}

std::shared_ptr<softdoca::RemoteQueue> doca_comch_connection::find_queue(std::uint32_t id)
{
    const std::scoped_lock lock(lock_);
    if (const auto found = queues_.find(id); found != queues_.end())
        return found->second;
    auto attached = channel_->find_queue(id);
    if (attached == nullptr)
        return nullptr;
    auto queue = std::make_shared<softdoca::RemoteQueue>(shared_channel(), std::move(attached));
    queues_.emplace(id, queue);
    return queue;
}

void doca_comch_connection::expire(std::uint32_t id) noexcept
{
    channel_->drop_queue(id);
    const std::scoped_lock lock(lock_);
    if (const auto found = queues_.find(id); found != queues_.end()) {
        found->second->expire();
        queues_.erase(found);
    }
}

void doca_comch_connection::notify(softdoca::MessageKind kind, std::uint32_t id)
{
    const std::scoped_lock lock(lock_);
    if (kept_notices_.empty() && channel_->notify(kind, id))
        return;
    kept_notices_.emplace_back(kind, id);
    has_kept_notices_.store(true, std::memory_order_relaxed);
    owner_.doorbells().mailbox()->post(token_); // its thread sends them when there is room
}

bool doca_comch_connection::send_kept_notices() noexcept
{
    if (!has_kept_notices_.load(std::memory_order_relaxed))
        return true;
    const std::scoped_lock lock(lock_);
    std::size_t num_sent = 0;
    while (num_sent < kept_notices_.size() &&
           channel_->notify(kept_notices_[num_sent].first, kept_notices_[num_sent].second))
        ++num_sent;
    kept_notices_.erase(kept_notices_.begin(),
                        kept_notices_.begin() + static_cast<std::ptrdiff_t>(num_sent));
    has_kept_notices_.store(!kept_notices_.empty(), std::memory_order_relaxed);
    return kept_notices_.empty();
}

// ---- what the program asks ----

doca_error_t doca_comch_connection::update_info() noexcept
{
    if (stage() == Stage::opening)
        return LOG_REFUSED(DOCA_ERROR_CONNECTION_INPROGRESS, this,
                           "connection %p of \"%s\" is not established yet",
                           static_cast<void *>(this), owner_.shown_name());
    if (stage() == Stage::closed || channel_->is_lost())
        return LOG_REFUSED(DOCA_ERROR_CONNECTION_ABORTED, this, "connection %p of \"%s\" has ended",
                           static_cast<void *>(this), owner_.shown_name());
    shown_ = counters_;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_connection::counter(doca_comch_counter type,
                                            std::uint64_t *value) const noexcept
{
    switch (type) {
    case DOCA_COMCH_COUNTER_SENT_MESSAGES:
        *value = shown_.num_sent;
        return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_SENT_BYTES:
        *value = shown_.num_sent_bytes;
        return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_RECV_MESSAGES:
        *value = shown_.num_received;
        return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_RECV_BYTES:
        *value = shown_.num_received_bytes;
        return DOCA_SUCCESS;
    }
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                       "connection %p: there is no counter %d (DOCA_COMCH_COUNTER_*)",
                       static_cast<const void *>(this), static_cast<int>(type));
}

extern "C" doca_error_t doca_comch_connection_set_user_data(doca_comch_connection *connection,
                                                            union doca_data user_data)
{
    if (const doca_error_t bad = check(__func__, connection); bad != DOCA_SUCCESS)
        return bad;
    connection->set_user_data(user_data);
    return DOCA_SUCCESS;
}

extern "C" union doca_data
doca_comch_connection_get_user_data(const doca_comch_connection *connection)
{
    return check(__func__, connection) == DOCA_SUCCESS ? connection->user_data() : doca_data{};
}

extern "C" doca_error_t doca_comch_connection_update_info(doca_comch_connection *comch_connection)
{
    const doca_error_t bad = check(__func__, comch_connection);
    return bad != DOCA_SUCCESS ? bad : comch_connection->update_info();
}

extern "C" doca_error_t
doca_comch_connection_get_counter(const doca_comch_connection *comch_connection,
                                  enum doca_comch_counter counter_type, uint64_t *counter_value)
{
    if (const doca_error_t bad = check(__func__, comch_connection); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, counter_value);
        bad != DOCA_SUCCESS)
        return bad;
    return comch_connection->counter(counter_type, counter_value);
}
