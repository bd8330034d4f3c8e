// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/client.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "base/unique_fd.hpp"
#include "comch/comch_check.hpp"
#include "fabric/local_process.hpp"
#include "fabric/service.hpp"

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

LOG_SOURCE("COMCH::CLIENT");

namespace {

using std::chrono::milliseconds;

/// That a server's agent may take to greet: it answers at once, unless its process is stopped. The
/// engine waits meanwhile, so it is short; whoever is late is asked again.
constexpr auto kGreetingPatience = milliseconds(250);
constexpr auto kPause = milliseconds(500); // for one without room, whose log tells of each attempt

doca_error_t check(const char *call, const doca_comch_client *client) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "client", client);
}

std::optional<milliseconds> patience_of_environment()
{
    const char *const text = std::getenv("SOFTDOCA_COMCH_TIMEOUT_MS");
    if (text == nullptr || *text == '\0')
        return std::nullopt;
    const std::string_view view(text);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error == std::errc() && end == view.data() + view.size())
        return milliseconds(value);
    LOG_ONCE(softdoca::LogLevel::warning, text,
             "SOFTDOCA_COMCH_TIMEOUT_MS=%s is no number of milliseconds; ignored", text);
    return std::nullopt;
}

} // namespace

doca_comch_client::~doca_comch_client()
{
    if (!is_inherited())
        stop_ticking();
}

doca_error_t doca_comch_client::check_start() const noexcept
{
    if (const doca_error_t bad = softdoca::check_client(LOG_SITE, this, dev()); bad != DOCA_SUCCESS)
        return bad;
    return ControlContext::check_start();
}

doca_error_t doca_comch_client::on_start()
{
    connection_.reset();
    if (const doca_error_t bad = open_common(); bad != DOCA_SUCCESS)
        return bad;
    fabric_ = softdoca::LocalProcess::get()->registration().fabric();
    scope_ = softdoca::service_scope(dev().function());
    patience_ = patience_of_environment();
    started_ = next_look_ = std::chrono::steady_clock::now();
    if (!pe()->start_ticking(*this)) {
        const int error = errno;
        close_common();
        return LOG_REFUSED(DOCA_ERROR_INITIALIZATION, this,
                           "client \"%s\" cannot start: no descriptor for a timer: %s (ulimit -n)",
                           shown_name(), std::strerror(error));
    }
    is_ticking_ = true;
    has_slowed_ = false;
    make_ready(); // the first look comes with the next turn
    return DOCA_ERROR_IN_PROGRESS;
}

void doca_comch_client::stop_ticking() noexcept
{
    if (is_ticking_)
        pe()->stop_ticking(*this);
    is_ticking_ = false;
}

bool doca_comch_client::on_turn() noexcept
{
    if (state() == DOCA_CTX_STATE_STARTING)
        return go_on_connecting();
    return deliver_arrived();
}

/// What the server has answered. True: it was the end of STARTING.
bool doca_comch_client::take_answer() noexcept
{
    softdoca::Channel &channel = connection_->channel();
    const bool is_over = channel.is_lost() || channel.is_rejected(); // then: an answer before that
    auto admission = softdoca::Admission::waiting;
    if (channel.has_memory())
        admission =
            static_cast<softdoca::Admission>(channel.admission().load(std::memory_order_acquire));
    if (admission == softdoca::Admission::accepted && channel.has_peer_bell()) {
        stop_ticking();
        LOG_INF("client \"%s\" on %s is connected with process %d", shown_name(), dev().name(),
                channel.link().peer_pid());
        connection_->open();
        finish_start(); // what came already is for later turns
        return true;
    }
    if (admission == softdoca::Admission::refused) {
        LOG_ERR(
            "client \"%s\" on %s: the server (pid %d) has refused it: it has as many clients as "
            "it can have (doca_comch_cap_get_max_clients), or no descriptors, which its log says",
            shown_name(), dev().name(), channel.link().peer_pid());
        stop_by_itself();
        return true;
    }
    if (is_over || admission == softdoca::Admission::too_late)
        give_up_channel(); // and look again
    return false;
}

/// In STARTING, whenever the engine ticked or something was heard of the server.
bool doca_comch_client::go_on_connecting() noexcept
{
    rest();
    if (connection_ != nullptr && take_answer())
        return true;
    if (is_too_late()) {
        const doca_error_t result = softdoca::api_guard(LOG_SITE, "a list of servers", [&] {
            LOG_ERR("client \"%s\" on %s: no server has accepted it within %lld ms "
                    "(SOFTDOCA_COMCH_TIMEOUT_MS): %s",
                    shown_name(), dev().name(), static_cast<long long>(patience_->count()),
                    what_it_waits_for().c_str());
            return DOCA_SUCCESS;
        });
        (void)result; // without memory there is no line
        stop_by_itself();
        return true;
    }
    if (connection_ == nullptr && std::chrono::steady_clock::now() >= next_look_)
        (void)softdoca::api_guard(LOG_SITE, "a search for the server", [this] {
            look_for_server();
            return DOCA_SUCCESS;
        });
    return false;
}

bool doca_comch_client::is_too_late() noexcept
{
    const auto age = std::chrono::steady_clock::now() - started_;
    if (age > std::chrono::seconds(1) && !has_slowed_) {
        doorbells().tick_slowly();
        has_slowed_ = true;
    }
    return patience_ && age >= *patience_;
}

void doca_comch_client::look_for_server()
{
    const auto record = softdoca::find_service(fabric_, scope_, name());
    if (!record)
        return;
    softdoca::LinkFault fault{};
    auto link = softdoca::LocalProcess::get()->pair_with(
        record->process, softdoca::Clock::now() + kGreetingPatience, &fault);
    fault_ = fault;
    if (link == nullptr) {
        if (fault == softdoca::LinkFault::busy || fault == softdoca::LinkFault::no_resources)
            next_look_ = std::chrono::steady_clock::now() + kPause;
        if (fault == softdoca::LinkFault::other_release || fault == softdoca::LinkFault::other_user)
            LOG_ONCE(softdoca::LogLevel::error, this, "client \"%s\": the server's process %d %s",
                     shown_name(), record->pid,
                     fault == softdoca::LinkFault::other_user
                         ? "belongs to another user; see [fabric] group in the topology"
                         : "uses libraries of another release; link both sides with the same");
        return;
    }
    auto channel = softdoca::Channel::of_client(std::move(link), config());
    connection_ = doca_comch_connection::make(*this, channel);
    if (connection_ == nullptr) {
        LOG_ONCE(softdoca::LogLevel::error, this, "client \"%s\" cannot connect: %s (ulimit -n)",
                 shown_name(), std::strerror(errno));
        return;
    }
    if (!channel->ask(record->key, connection_->bell(), connection_->message_bit(),
                      connection_->room_bit()))
        give_up_channel(); // its agent is busy
}

void doca_comch_client::give_up_channel() noexcept
{
    connection_->close();
    connection_.reset();
}

std::shared_ptr<doca_comch_connection>
doca_comch_client::find_connection(const doca_comch_connection *handle) noexcept
{
    return handle == connection_.get() ? connection_ : nullptr;
}

doca_error_t doca_comch_client::get_connection(doca_comch_connection **out) const noexcept
{
    if (state() != DOCA_CTX_STATE_RUNNING)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "doca_comch_client_get_connection: client \"%s\" is not RUNNING; "
                           "progress until it is",
                           shown_name());
    *out = connection_.get();
    return DOCA_SUCCESS;
}

bool doca_comch_client::on_peer_gone(doca_comch_connection &connection, bool was_lost) noexcept
{
    if (connection.stage() == doca_comch_connection::Stage::closed)
        return false;
    const std::size_t num_failed = connection.num_waiting();
    connection.channel().lose(); // its consumers and producers end by themselves
    connection.close();
    if (state() != DOCA_CTX_STATE_RUNNING)
        return false;
    if (was_lost)
        LOG_ERR("client \"%s\" on %s: the server's process (pid %d, DPU) has ended; %zu sends "
                "failed; start the server and the client again",
                shown_name(), dev().name(), connection.channel().link().peer_pid(), num_failed);
    else
        LOG_INF("client \"%s\" on %s: the server has ended the connection", shown_name(),
                dev().name());
    stop_by_itself();
    return true;
}

doca_error_t doca_comch_client::check_stop() const noexcept
{
    if (connection_ == nullptr || connection_->num_children() == 0)
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                       "client \"%s\" has %u consumers and %u producers; stop and destroy them "
                       "first",
                       shown_name(), connection_->num_consumers.load(),
                       connection_->num_producers.load());
}

void doca_comch_client::on_stop() noexcept
{
    stop_ticking();
    if (connection_ != nullptr && connection_->stage() == doca_comch_connection::Stage::open) {
        connection_->begin_leaving();
        (void)connection_->leave(); // the program may not progress any more
    }
}

bool doca_comch_client::is_drained() noexcept
{
    bool has_left = true;
    if (connection_ != nullptr) {
        if (connection_->stage() == doca_comch_connection::Stage::opening) {
            const softdoca::Channel &channel = connection_->channel();
            if (channel.has_memory()) { // only then the peer's number is known
                auto message = softdoca::wire::make<softdoca::wire::CloseChannel>();
                message.channel = channel.peer_number();
                (void)channel.link().tell(message);
            }
            connection_->close();
        }
        has_left = connection_->leave() && connection_->num_children() == 0;
    }
    return has_left;
}

void doca_comch_client::on_idle() noexcept
{
    close_common();
}

void doca_comch_client::report_unfinished() noexcept
{
    if (state() == DOCA_CTX_STATE_STOPPING) {
        if (connection_ != nullptr && connection_->num_children() != 0)
            LOG_WAIT(this,
                     "client \"%s\" cannot become idle: its connection has ended, but %u consumers "
                     "and %u producers are not destroyed",
                     shown_name(), connection_->num_consumers.load(),
                     connection_->num_producers.load());
        else if (connection_ != nullptr && connection_->has_waiting())
            LOG_WAIT(this,
                     "client \"%s\" cannot become idle: %zu sends wait for the receive queue of "
                     "the server (pid %d), which must progress, or end",
                     shown_name(), connection_->num_waiting(),
                     connection_->channel().link().peer_pid());
        return;
    }
    const doca_error_t result = softdoca::api_guard(LOG_SITE, "a list of servers", [&] {
        LOG_WAIT(this, "client \"%s\" on %s waits: %s", shown_name(), dev().name(),
                 what_it_waits_for().c_str());
        return DOCA_SUCCESS;
    });
    (void)result; // without memory there is no line
}

/// What there is in place of a server that accepts it.
std::string doca_comch_client::what_it_waits_for() const
{
    if (connection_ != nullptr)
        return "its server (pid " + std::to_string(connection_->channel().link().peer_pid()) +
               ") has not accepted it; the server's program must progress its engine";
    std::string names, places;
    if (const softdoca::UniqueFd look(::open(fabric_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        !look.is_open())
        return "the fabric directory " + fabric_ + " cannot be looked at: " + std::strerror(errno) +
               (errno == EMFILE ? " (ulimit -n)" : "");
    for (const softdoca::ServiceRecord &each : softdoca::list_services(fabric_)) {
        const std::string pid = " (pid " + std::to_string(each.pid) + ')';
        if (each.scope == scope_ && each.name != name()) {
            std::string shown = each.name.substr(0, 40);
            for (char &c : shown)
                c = c >= 0x20 && c < 0x7f ? c : '?';
            names += (names.empty() ? "\"" : ", \"") + shown + '"' + pid;
        } else if (each.scope == scope_) {
            return "its server" + pid +
                   (fault_ == softdoca::LinkFault::no_resources
                        ? " is there, but this process has no descriptors left "
                          "(ulimit -n)"
                    : fault_ == softdoca::LinkFault::busy
                        ? " has no descriptors left (ulimit -n there)"
                        : " does not answer: does its process stand still?");
        } else if (each.name == name()) {
            places += (places.empty() ? "" : ", ") + softdoca::function_of_scope(each.scope) + pid;
        }
    }
    if (!places.empty())
        return "a server of that name serves another function, " + places +
               "; open that device here, or that representor there";
    if (!names.empty())
        return "no server of its function has that name; there is " + names;
    return "no server serves its function in " + fabric_ +
           "; is the DPU side running, with this function's representor? (softdoca ls)";
}

extern "C" doca_error_t doca_comch_client_create(doca_dev *dev, const char *name,
                                                 doca_comch_client **comch_client)
{
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_name(LOG_SITE, __func__, *dev, name);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, comch_client);
        bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        *comch_client = new doca_comch_client(*dev, name);
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_comch_client_destroy(doca_comch_client *comch_client)
{
    if (const doca_error_t bad = check(__func__, comch_client); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = comch_client->check_destroy(); bad != DOCA_SUCCESS)
        return bad;
    delete comch_client;
    return DOCA_SUCCESS;
}

extern "C" doca_ctx *doca_comch_client_as_ctx(doca_comch_client *comch_client)
{
    return comch_client;
}

extern "C" doca_error_t doca_comch_client_set_max_msg_size(doca_comch_client *comch_client,
                                                           uint32_t size)
{
    const doca_error_t bad = check(__func__, comch_client);
    return bad != DOCA_SUCCESS ? bad : comch_client->set_max_msg_size(__func__, size);
}

extern "C" doca_error_t doca_comch_client_get_max_msg_size(const doca_comch_client *comch_client,
                                                           uint32_t *size)
{
    return softdoca::answer(LOG_SITE, __func__, "client", comch_client, size,
                            [&] { return comch_client->max_msg_size(); });
}

extern "C" doca_error_t doca_comch_client_set_recv_queue_size(doca_comch_client *comch_client,
                                                              uint32_t size)
{
    const doca_error_t bad = check(__func__, comch_client);
    return bad != DOCA_SUCCESS ? bad : comch_client->set_recv_queue_size(__func__, size);
}

extern "C" doca_error_t doca_comch_client_get_recv_queue_size(const doca_comch_client *comch_client,
                                                              uint32_t *size)
{
    return softdoca::answer(LOG_SITE, __func__, "client", comch_client, size,
                            [&] { return comch_client->recv_queue_size(); });
}

extern "C" doca_error_t doca_comch_client_get_device(const doca_comch_client *comch_client,
                                                     doca_dev **dev)
{
    return softdoca::answer(LOG_SITE, __func__, "client", comch_client, dev,
                            [&] { return &comch_client->device(); });
}

extern "C" doca_error_t doca_comch_client_get_connection(const doca_comch_client *comch_client,
                                                         doca_comch_connection **connection)
{
    if (const doca_error_t bad = check(__func__, comch_client); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, connection);
        bad != DOCA_SUCCESS)
        return bad;
    return comch_client->get_connection(connection);
}

extern "C" doca_error_t doca_comch_client_task_send_set_conf(
    doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    const doca_error_t bad = check(__func__, comch_client);
    return bad != DOCA_SUCCESS ? bad
                               : comch_client->set_send_conf(__func__, task_completion_cb,
                                                             task_error_cb, num_send_tasks);
}

extern "C" doca_error_t doca_comch_client_task_send_alloc_init(doca_comch_client *comch_client,
                                                               doca_comch_connection *peer,
                                                               const void *msg, uint32_t len,
                                                               doca_comch_task_send **task)
{
    const doca_error_t bad = check(__func__, comch_client);
    return bad != DOCA_SUCCESS ? bad : comch_client->alloc(__func__, peer, msg, len, task);
}

extern "C" doca_error_t
doca_comch_client_event_msg_recv_register(doca_comch_client *comch_client,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb)
{
    const doca_error_t bad = check(__func__, comch_client);
    return bad != DOCA_SUCCESS ? bad : comch_client->set_message_cb(__func__, recv_event_cb);
}

extern "C" doca_error_t
doca_comch_client_event_consumer_register(doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
    const doca_error_t bad = check(__func__, comch_client);
    return bad != DOCA_SUCCESS ? bad
                               : comch_client->set_consumer_cbs(__func__, new_consumer_event_cb,
                                                                expired_consumer_event_cb);
}

extern "C" doca_comch_client *
doca_comch_client_get_client_ctx(const doca_comch_connection *connection)
{
    return connection == nullptr ? nullptr
                                 : dynamic_cast<doca_comch_client *>(&connection->owner());
}
