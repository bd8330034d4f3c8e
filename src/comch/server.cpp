// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/server.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "comch/comch_check.hpp"
#include "fabric/local_process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

LOG_SOURCE("COMCH::SERVER");

namespace {

doca_error_t check(const char *call, const doca_comch_server *server) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "server", server);
}

} // namespace

doca_comch_server::doca_comch_server(doca_dev &dev, doca_dev_rep &rep, const char *name)
    : ControlContext(dev, "server", name), rep_(rep), rep_hold_(rep)
{
}

doca_comch_server::~doca_comch_server() = default;

doca_error_t doca_comch_server::set_connection_cbs(
    doca_comch_event_connection_status_changed_cb_t on_connect,
    doca_comch_event_connection_status_changed_cb_t on_disconnect) noexcept
{
    constexpr const char *kCall = "doca_comch_server_event_connection_status_changed_register";
    if (on_connect == nullptr || on_disconnect == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this, "%s: both callbacks are needed", kCall);
    if (const doca_error_t bad = check_configurable(kCall); bad != DOCA_SUCCESS)
        return bad;
    on_connect_ = on_connect;
    on_disconnect_ = on_disconnect;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server::check_start() const noexcept
{
    if (const doca_error_t bad = softdoca::check_server(LOG_SITE, this, dev()); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = ControlContext::check_start(); bad != DOCA_SUCCESS)
        return bad;
    if (on_connect_ != nullptr)
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                       "server \"%s\" has no connection callbacks; call "
                       "doca_comch_server_event_connection_status_changed_register before "
                       "doca_ctx_start",
                       shown_name());
}

doca_error_t doca_comch_server::on_start()
{
    if (const doca_error_t bad = open_common(); bad != DOCA_SUCCESS)
        return bad;
    softdoca::Service::Fault fault{};
    softdoca::ServiceRecord holder;
    service_ = softdoca::Service::open(*softdoca::LocalProcess::get(), rep_.function(), name(),
                                       config(), {doorbells().mailbox(), token()}, &fault, &holder);
    if (service_ != nullptr)
        return DOCA_SUCCESS;
    const int error = errno;
    close_common();
    if (fault == softdoca::Service::Fault::exists)
        return LOG_REFUSED(DOCA_ERROR_ALREADY_EXIST, this,
                           "server \"%s\" on representor %s exists already, in process %d; stop it "
                           "or take another name",
                           shown_name(), rep_.function().pci.text().data(), holder.pid);
    return LOG_REFUSED(DOCA_ERROR_INITIALIZATION, this,
                       "server \"%s\" cannot be entered in the fabric: %s", shown_name(),
                       std::strerror(error));
}

std::shared_ptr<doca_comch_connection> doca_comch_server::find_connection(Handle handle) noexcept
{
    const auto found = connections_.find(handle);
    return found == connections_.end() ? nullptr : found->second;
}

/// By the mailbox: clients have come, or a child of a connection has ended.
void doca_comch_server::on_bell() noexcept
{
    if (service_ != nullptr)
        for (auto &channel : service_->take_arrivals())
            arrivals_.push_back(std::move(channel));
    make_ready();
}

bool doca_comch_server::on_turn() noexcept
{
    // Before clients, unless there are no others: they come seldom, and messages are waited for.
    if (!leaving_.empty())
        std::erase_if(leaving_, [](const auto &each) { return each->leave(); });
    const bool waits = !arrivals_.empty() && waits_for_goodbyes();
    for (std::size_t num = waits ? 0 : arrivals_.size(); num != 0; --num) // some have gone again
        if (admit_next())
            return true;
    if (deliver_arrived())
        return true;
    if (waits)
        make_ready();
    return false;
}

/// One of a full server's clients may have said goodbye before the newcomer came: what has come is
/// taken first, but not without end.
bool doca_comch_server::waits_for_goodbyes() noexcept
{
    constexpr std::uint32_t kTurnsPerClient = 4;
    const std::uint32_t max_clients = limits().max_clients;
    if (connections_.size() >= max_clients && has_event() &&
        num_waits_ < kTurnsPerClient * max_clients) {
        ++num_waits_;
        return true;
    }
    num_waits_ = 0;
    return false;
}

bool doca_comch_server::admit_next() noexcept
{
    const std::shared_ptr<softdoca::Channel> channel = std::move(arrivals_.front());
    arrivals_.pop_front();
    if (channel->is_lost() || channel->is_closed_by_peer())
        return false;
    bool is_known = false;
    const doca_error_t result = softdoca::api_guard(LOG_SITE, "a client's connection", [&] {
        if (is_stopping())
            answer(*channel, softdoca::Admission::too_late);
        else if (connections_.size() >= limits().max_clients)
            is_known = refuse(channel);
        else
            is_known = admit(channel);
        return DOCA_SUCCESS;
    });
    if (result != DOCA_SUCCESS)
        answer(*channel, softdoca::Admission::refused);
    return is_known;
}

void doca_comch_server::answer(softdoca::Channel &channel, softdoca::Admission admission) noexcept
{
    channel.admission().store(static_cast<std::uint32_t>(admission), std::memory_order_release);
    channel.message_bell().ring();
}

bool doca_comch_server::admit(std::shared_ptr<softdoca::Channel> channel) noexcept
{
    const auto connection = doca_comch_connection::make(*this, channel);
    if (connection == nullptr) {
        LOG_ERR("server \"%s\" refuses a client of process %d: %s (ulimit -n)", shown_name(),
                channel->link().peer_pid(), std::strerror(errno));
        answer(*channel, softdoca::Admission::refused);
        return false;
    }
    if (!channel->tell_bell(connection->bell(), connection->message_bit(),
                            connection->room_bit())) {
        connection->close();
        arrivals_.push_back(std::move(channel)); // its agent is busy; or gone, which shows soon
        doorbells().mailbox()->post(token());    // with the next turn, not in this one
        return false;
    }
    connections_.emplace(connection.get(), connection);
    connection->open();
    LOG_INF("server \"%s\": process %d has connected", shown_name(), channel->link().peer_pid());
    on_connect_(nullptr, connection.get(), 1);
    answer(*channel, softdoca::Admission::accepted); // then it may run, whatever became of it here
    return true;
}

bool doca_comch_server::refuse(std::shared_ptr<softdoca::Channel> channel) noexcept
{
    LOG_ONCE(softdoca::LogLevel::error, this,
             "server \"%s\" refuses process %d: it has %u clients, which is the limit "
             "(doca_comch_cap_get_max_clients)",
             shown_name(), channel->link().peer_pid(), limits().max_clients);
    const auto connection = std::make_shared<doca_comch_connection>(*this, channel);
    connection->close(); // it never was open
    answer(*channel, softdoca::Admission::refused);
    on_connect_(nullptr, connection.get(), 0);
    return true;
}

void doca_comch_server::remove(doca_comch_connection &connection) noexcept
{
    constexpr std::size_t kMaxEnded = 64;
    const auto found = connections_.find(&connection);
    if (found == connections_.end())
        return;
    ended_.push_back(std::move(found->second));
    if (ended_.size() > kMaxEnded)
        ended_.pop_front();
    for (const auto &each : ended_)
        each->let_go();
    connections_.erase(found);
}

bool doca_comch_server::on_peer_gone(doca_comch_connection &connection, bool was_lost) noexcept
{
    const auto kept = connection.shared_from_this();
    const bool is_known = connections_.contains(&connection);
    if (was_lost && is_known)
        LOG_ERR("server \"%s\" on %s: the process of a client (pid %d, host) has ended; %zu sends "
                "failed",
                shown_name(), rep_.function().pci.text().data(),
                connection.channel().link().peer_pid(), connection.num_waiting());
    const int pid = connection.channel().link().peer_pid();
    connection.channel().lose(); // its consumers and producers end by themselves
    connection.close();
    remove(connection);
    if (!is_known) // the server has ended it itself
        return false;
    LOG_INF("server \"%s\": a client of process %d has disconnected", shown_name(), pid);
    on_disconnect_(nullptr, &connection, 1);
    return true;
}

doca_error_t doca_comch_server::disconnect(doca_comch_connection *handle) noexcept
{
    constexpr const char *kCall = "doca_comch_server_disconnect";
    const auto connection = find_connection(handle);
    if (connection == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "%s: connection %p of server \"%s\" is already closed, or never was one "
                           "of its; nothing to disconnect",
                           kCall, static_cast<void *>(handle), shown_name());
    if (connection->num_children() != 0)
        return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                           "%s: connection %p of server \"%s\" has %u consumers and %u producers; "
                           "stop and destroy them first",
                           kCall, static_cast<void *>(handle), shown_name(),
                           connection->num_consumers.load(), connection->num_producers.load());
    return softdoca::api_guard(LOG_SITE, kCall, [&] {
        leaving_.reserve(leaving_.size() + 1);
        connection->begin_leaving();
        remove(*connection);
        if (!connection->leave())
            leaving_.push_back(connection);
        return DOCA_SUCCESS;
    });
}

doca_error_t doca_comch_server::check_stop() const noexcept
{
    if (num_children() == 0)
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                       "server \"%s\": %u consumers and producers of its connections, those that "
                       "have ended included, are not destroyed; stop and destroy them first",
                       shown_name(), num_children());
}

void doca_comch_server::on_stop() noexcept
{
    on_bell(); // the last who came
    service_->end();
    service_.reset();
    for (const auto &each : connections_) {
        each.second->begin_leaving();
        (void)each.second->leave(); // the program may not progress any more
    }
}

/// Sends that were submitted are delivered first, however long that takes.
bool doca_comch_server::is_drained() noexcept
{
    while (!arrivals_.empty())
        (void)admit_next(); // that is, refuse
    std::erase_if(leaving_, [](const auto &each) { return each->leave(); });
    for (auto each = connections_.begin(); each != connections_.end();) {
        const auto next = std::next(each);
        if (each->second->leave())
            remove(*each->second);
        each = next;
    }
    return connections_.empty() && leaving_.empty();
}

void doca_comch_server::report_unfinished() noexcept
{
    std::size_t num_sends = 0;
    int pid = 0;
    for (const auto &each : connections_) {
        num_sends += each.second->num_waiting();
        pid = each.second->channel().link().peer_pid();
    }
    if (!connections_.empty())
        LOG_WAIT(this,
                 "server \"%s\" cannot become idle: %zu sends wait for the receive queues of %zu "
                 "client(s), one of process %d; they must progress, or end",
                 shown_name(), num_sends, connections_.size(), pid);
}

extern "C" doca_error_t doca_comch_server_create(doca_dev *dev, doca_dev_rep *repr,
                                                 const char *name, doca_comch_server **comch_server)
{
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    if (repr == nullptr) {
        softdoca::AddressText known;
        for (const softdoca::Function &each : dev->device().representors)
            known.add(each);
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dev,
                           "%s: no representor given; this device has %s", __func__, known.text);
    }
    if (const doca_error_t bad = softdoca::check_handle(LOG_SITE, __func__, "representor", repr);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_name(LOG_SITE, __func__, *dev, name);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, comch_server);
        bad != DOCA_SUCCESS)
        return bad;
    if (repr->devinfo()->dev != dev)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dev,
                           "%s: representor %s belongs to device %s, not to %s", __func__,
                           repr->function().pci.text().data(), repr->devinfo()->dev->name(),
                           dev->name());
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        *comch_server = new doca_comch_server(*dev, *repr, name);
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_comch_server_destroy(doca_comch_server *comch_server)
{
    if (const doca_error_t bad = check(__func__, comch_server); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = comch_server->check_destroy(); bad != DOCA_SUCCESS)
        return bad;
    delete comch_server;
    return DOCA_SUCCESS;
}

extern "C" doca_ctx *doca_comch_server_as_ctx(doca_comch_server *comch_server)
{
    return comch_server;
}

extern "C" doca_error_t doca_comch_server_set_max_msg_size(doca_comch_server *comch_server,
                                                           uint32_t size)
{
    const doca_error_t bad = check(__func__, comch_server);
    return bad != DOCA_SUCCESS ? bad : comch_server->set_max_msg_size(__func__, size);
}

extern "C" doca_error_t doca_comch_server_get_max_msg_size(const doca_comch_server *comch_server,
                                                           uint32_t *size)
{
    return softdoca::answer(LOG_SITE, __func__, "server", comch_server, size,
                            [&] { return comch_server->max_msg_size(); });
}

extern "C" doca_error_t doca_comch_server_set_recv_queue_size(doca_comch_server *comch_server,
                                                              uint32_t size)
{
    const doca_error_t bad = check(__func__, comch_server);
    return bad != DOCA_SUCCESS ? bad : comch_server->set_recv_queue_size(__func__, size);
}

extern "C" doca_error_t doca_comch_server_get_recv_queue_size(const doca_comch_server *comch_server,
                                                              uint32_t *size)
{
    return softdoca::answer(LOG_SITE, __func__, "server", comch_server, size,
                            [&] { return comch_server->recv_queue_size(); });
}

extern "C" doca_error_t doca_comch_server_get_device(const doca_comch_server *comch_server,
                                                     doca_dev **dev)
{
    return softdoca::answer(LOG_SITE, __func__, "server", comch_server, dev,
                            [&] { return &comch_server->device(); });
}

extern "C" doca_error_t doca_comch_server_get_device_rep(const doca_comch_server *comch_server,
                                                         doca_dev_rep **rep)
{
    return softdoca::answer(LOG_SITE, __func__, "server", comch_server, rep,
                            [&] { return &comch_server->rep(); });
}

extern "C" doca_error_t doca_comch_server_disconnect(doca_comch_server *comch_server,
                                                     doca_comch_connection *connection)
{
    const doca_error_t bad = check(__func__, comch_server);
    return bad != DOCA_SUCCESS ? bad : comch_server->disconnect(connection);
}

extern "C" doca_error_t doca_comch_server_task_send_set_conf(
    doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    const doca_error_t bad = check(__func__, comch_server);
    return bad != DOCA_SUCCESS ? bad
                               : comch_server->set_send_conf(__func__, task_completion_cb,
                                                             task_error_cb, num_send_tasks);
}

extern "C" doca_error_t doca_comch_server_task_send_alloc_init(doca_comch_server *comch_server,
                                                               doca_comch_connection *peer,
                                                               const void *msg, uint32_t len,
                                                               doca_comch_task_send **task)
{
    const doca_error_t bad = check(__func__, comch_server);
    return bad != DOCA_SUCCESS ? bad : comch_server->alloc(__func__, peer, msg, len, task);
}

extern "C" doca_error_t
doca_comch_server_event_msg_recv_register(doca_comch_server *comch_server,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb)
{
    const doca_error_t bad = check(__func__, comch_server);
    return bad != DOCA_SUCCESS ? bad : comch_server->set_message_cb(__func__, recv_event_cb);
}

extern "C" doca_error_t doca_comch_server_event_connection_status_changed_register(
    doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
    const doca_error_t bad = check(__func__, comch_server);
    return bad != DOCA_SUCCESS
               ? bad
               : comch_server->set_connection_cbs(connect_event_cb, disconnect_event_cb);
}

extern "C" doca_error_t
doca_comch_server_event_consumer_register(doca_comch_server *comch_server,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
    const doca_error_t bad = check(__func__, comch_server);
    return bad != DOCA_SUCCESS ? bad
                               : comch_server->set_consumer_cbs(__func__, new_consumer_event_cb,
                                                                expired_consumer_event_cb);
}

extern "C" doca_comch_server *
doca_comch_server_get_server_ctx(const doca_comch_connection *connection)
{
    return connection == nullptr ? nullptr
                                 : dynamic_cast<doca_comch_server *>(&connection->owner());
}
