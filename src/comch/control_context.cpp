// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/control_context.hpp"

#include "fabric/local_process.hpp"

LOG_SOURCE("COMCH::CONTROL");

namespace softdoca {

namespace {

constexpr std::uint32_t kDefaultMsgSize = 4080;
constexpr std::uint32_t kDefaultRecvQueue = 64;

std::string printable(const char *name)
{
    constexpr std::size_t kMaxShown = 120;
    std::string text = std::string(name).substr(0, kMaxShown);
    for (char &c : text)
        c = c >= 0x20 && c < 0x7f ? c : '?';
    return text;
}

} // namespace

ControlContext::ControlContext(doca_dev &dev, const char *kind, const char *name)
    : doca_ctx(dev, kind, Acts::at_submit), name_(name), shown_name_(printable(name)),
      max_msg_size_(std::min(kDefaultMsgSize, limits().max_msg_size)),
      recv_queue_size_(std::min(kDefaultRecvQueue, limits().max_recv_queue_size))
{
}

ControlContext::~ControlContext()
{
    close_common(); // in a forked child it may not be IDLE
}

doca_error_t ControlContext::set_max_msg_size(const char *call, std::uint32_t size) noexcept
{
    if (size == 0 || size > limits().max_msg_size)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: %u bytes are not within 1 and %u (doca_comch_cap_get_max_msg_size)",
                           call, size, limits().max_msg_size);
    if (const doca_error_t bad = check_configurable(call); bad != DOCA_SUCCESS)
        return bad;
    max_msg_size_ = size;
    return DOCA_SUCCESS;
}

doca_error_t ControlContext::set_recv_queue_size(const char *call, std::uint32_t size) noexcept
{
    if (size == 0 || size > limits().max_recv_queue_size)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: %u messages are not within 1 and %u "
                           "(doca_comch_cap_get_max_recv_queue_size)",
                           call, size, limits().max_recv_queue_size);
    if (const doca_error_t bad = check_configurable(call); bad != DOCA_SUCCESS)
        return bad;
    recv_queue_size_ = size;
    return DOCA_SUCCESS;
}

doca_error_t ControlContext::set_send_conf(const char *call,
                                           doca_comch_task_send_completion_cb_t on_success,
                                           doca_comch_task_send_completion_cb_t on_error,
                                           std::uint32_t num_tasks) noexcept
{
    if (on_success == nullptr || on_error == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: both completion callbacks are needed", call);
    if (num_tasks == 0 || num_tasks > limits().max_send_tasks)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: %u tasks are not within 1 and %u "
                           "(doca_comch_cap_get_max_send_tasks)",
                           call, num_tasks, limits().max_send_tasks);
    if (const doca_error_t bad = check_configurable(call); bad != DOCA_SUCCESS)
        return bad;
    on_sent_ = on_success;
    on_send_error_ = on_error;
    num_tasks_ = num_tasks;
    return DOCA_SUCCESS;
}

doca_error_t ControlContext::set_message_cb(const char *call,
                                            doca_comch_event_msg_recv_cb_t callback) noexcept
{
    if (callback == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this, "%s: the callback is NULL", call);
    if (const doca_error_t bad = check_configurable(call); bad != DOCA_SUCCESS)
        return bad;
    on_message_ = callback;
    return DOCA_SUCCESS;
}

doca_error_t ControlContext::set_consumer_cbs(const char *call,
                                              doca_comch_event_consumer_cb_t on_new,
                                              doca_comch_event_consumer_cb_t on_expired) noexcept
{
    if (on_new == nullptr || on_expired == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this, "%s: both callbacks are needed", call);
    if (const doca_error_t bad = check_configurable(call); bad != DOCA_SUCCESS)
        return bad;
    on_new_consumer_ = on_new;
    on_expired_consumer_ = on_expired;
    return DOCA_SUCCESS;
}

wire::ChannelConfig ControlContext::config() const noexcept
{
    wire::ChannelConfig config;
    config.num_sends = num_tasks_;
    config.recv_queue = recv_queue_size_;
    config.max_msg_size = max_msg_size_;
    return config;
}

doca_error_t ControlContext::check_start() const noexcept
{
    if (on_message_ != nullptr)
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                       "%s \"%s\" has no receive callback; call doca_comch_%s_event_msg_recv_"
                       "register before doca_ctx_start",
                       kind(), shown_name(), kind());
}

doca_error_t ControlContext::open_common()
{
    std::string why;
    if (LocalProcess::get(&why) == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INITIALIZATION, this, "%s \"%s\" cannot start: %s", kind(),
                           shown_name(), why.c_str());
    if (num_tasks_ != 0 && (!tasks_ || tasks_->num_tasks() != num_tasks_)) {
        tasks_.reset();
        tasks_.emplace(*this, num_tasks_);
    }
    room_ = std::make_unique<std::uint64_t[]>(max_msg_size_ / sizeof(std::uint64_t) + 1);
    doorbells_ = &pe()->doorbells();
    token_ = doorbells_->introduce(*this);
    return DOCA_SUCCESS;
}

void ControlContext::close_common() noexcept
{
    if (doorbells_ != nullptr && token_ != 0)
        doorbells_->forget(token_);
    token_ = 0;
}

doca_error_t ControlContext::alloc(const char *call, doca_comch_connection *peer,
                                   const void *message, std::uint32_t len,
                                   doca_comch_task_send **out) noexcept
{
    if (peer == nullptr || message == nullptr || out == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this, "%s: an argument is NULL", call);
    if (len == 0 || len > max_msg_size_)
        return max_msg_size_ == limits().max_msg_size
                   ? LOG_REFUSED(
                         DOCA_ERROR_INVALID_VALUE, this,
                         "%s: %s \"%s\": %u bytes are not within 1 and %u, the device's limit "
                         "(doca_comch_cap_get_max_msg_size); longer ones go by a producer",
                         call, kind(), shown_name(), len, max_msg_size_)
                   : LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                                 "%s: %s \"%s\": %u bytes are not within 1 and %u "
                                 "(doca_comch_%s_set_max_msg_size)",
                                 call, kind(), shown_name(), len, max_msg_size_, kind());
    if (!accepts_tasks() || num_tasks_ == 0) {
        if (accepts_tasks())
            return LOG_REFUSED(DOCA_ERROR_NO_MEMORY, this,
                               "%s: %s \"%s\" has no send tasks; configure them with "
                               "doca_comch_%s_task_send_set_conf",
                               call, kind(), shown_name(), kind());
        return refuse_alloc(nullptr);
    }
    auto connection = find_connection(peer);
    if (connection == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: %p is not (any more) a connection of %s \"%s\"", call,
                           static_cast<void *>(peer), kind(), shown_name());
    doca_comch_task_send *const task = tasks_->take();
    if (task == nullptr)
        return refuse_alloc(&*tasks_);
    allot(*task, nullptr, nullptr, doca_data{});
    task->peer = std::move(connection);
    task->message = message;
    task->len = len;
    *out = task;
    return DOCA_SUCCESS;
}

doca_error_t ControlContext::check_task(const doca_task &task) noexcept
{
    const auto &send = static_cast<const doca_comch_task_send &>(task);
    const auto stage = send.peer->stage();
    if (stage == doca_comch_connection::Stage::open &&
        send.len > send.peer->channel().max_msg_size())
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s \"%s\": a message of %u bytes is above the peer's limit of %u",
                           kind(), shown_name(), send.len, send.peer->channel().max_msg_size());
    return DOCA_SUCCESS;
}

doca_error_t ControlContext::begin(doca_task &task) noexcept
{
    auto &send = static_cast<doca_comch_task_send &>(task);
    send.peer->send(send);
    return DOCA_SUCCESS;
}

bool ControlContext::on_withdraw(doca_task &task) noexcept
{
    static_cast<doca_comch_task_send &>(task).peer->withdraw(task);
    return true;
}

void ControlContext::deliver_send(doca_task &task) noexcept
{
    const doca_error_t status = task.status();
    const auto callback = status == DOCA_SUCCESS ? on_sent_ : on_send_error_;
    const doca_data task_data = task.user_data();
    end_flight(task, status);
    callback(static_cast<doca_comch_task_send *>(&task), task_data, user_data());
}

void ControlContext::remove_child() noexcept
{
    const std::shared_ptr<Mailbox> mailbox = doorbells_->mailbox();
    const std::uint64_t token = token_;
    num_children_.fetch_sub(1); // from now on another thread may destroy this
    mailbox->post(token);
}

void ControlContext::add_arrived(doca_comch_connection &connection) noexcept
{
    if (!static_cast<ListHook<ArrivedList> &>(connection).is_linked())
        arrived_.push_back(connection);
    make_ready();
}

void ControlContext::remove_arrived(doca_comch_connection &connection) noexcept
{
    static_cast<ListHook<ArrivedList> &>(connection).unlink();
}

bool ControlContext::deliver_arrived() noexcept
{
    constexpr int kMaxLooks = 64; // a turn without a delivery must end, too
    for (int num_looks = 0; !arrived_.empty(); ++num_looks) {
        if (num_looks == kMaxLooks) {
            doorbells().mailbox()->post(token_); // goes on in the next one
            break;
        }
        // Others of this engine come first next time; without more, on_turn() rests.
        stay_ready();
        if (arrived_.front().deliver())
            return true;
    }
    rest();
    return false;
}

} // namespace softdoca
