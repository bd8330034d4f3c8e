// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/comch_victim.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <sys/resource.h>

namespace softdoca::test {

namespace {

/// What an object has delivered for its tasks.
struct Ends {
    std::size_t num_good = 0, num_bad = 0;

    void count(doca_error_t status) { ++(status == DOCA_SUCCESS ? num_good : num_bad); }
    std::string text(std::size_t num_inflight) const
    {
        return std::to_string(num_good) + " " + std::to_string(num_bad) + " " +
               std::to_string(num_inflight);
    }
};

Backing backing_of(const std::string &kind)
{
    return kind == "shared" ? Backing::shared : Backing::plain;
}

std::size_t num_shared_maps()
{
    std::size_t num = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        num += line.find("/memfd:") == std::string::npos ? 0 : 1;
    return num;
}

/// The server's process.
class VictimServer {
public:
    explicit VictimServer(const ComchSettings &settings) : own_(settings)
    {
        own_.keeps = false;
        own_.on_message = [this](doca_comch_connection *from, std::uint8_t *text,
                                 std::uint32_t len) {
            if (std::string_view(reinterpret_cast<char *>(text), len) == "ping") {
                EXPECT_EQ(own_.try_send("pong", kPong, from), DOCA_SUCCESS);
            }
        };
        own_.frees_tasks = false; // it has to be known which is which
        own_.on_sent = [this](doca_task *task, doca_error_t status) {
            if (doca_task_get_user_data(task).u64 == kMessage)
                sends_.count(status);
            own_.free(task);
        };
        must(own_.start());
    }

    void serve(const Line &line)
    {
        std::string question;
        for (;;) {
            turn();
            if (!line.is_ready())
                continue;
            if (!line.wait(&question))
                return;
            std::istringstream words(question);
            line.send(answer(words));
        }
    }

private:
    static constexpr std::uint64_t kPong = 0, kMessage = 1;

    /// The newest client, unless that is the bystander.
    doca_comch_connection *newest() const
    {
        return own_.connections.size() < 2 ? nullptr : own_.connections.back();
    }

    void turn()
    {
        (void)own_.progress();
        if (consumer_ != nullptr)
            (void)consumer_->progress();
        if (producer_ != nullptr)
            (void)producer_->progress();
    }

    template <typename Condition>
    bool comes(Condition condition)
    {
        const auto end = std::chrono::steady_clock::now() + patience();
        while (!condition()) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            turn();
        }
        return true;
    }

    std::string answer(std::istream &words)
    {
        std::string verb, kind;
        std::size_t num = 0, len = 0;
        words >> verb;
        if (verb == "census") {
            std::ostringstream out;
            out << Census::now() << ", " << num_shared_maps() << " pieces of shared memory";
            return out.str();
        }
        if (verb == "clients")
            return std::to_string(own_.connections.size()) + " " +
                   std::to_string(own_.num_connects) + " " + std::to_string(own_.num_disconnects);
        if (verb == "poor") {
            const rlimit few{256, 256};
            return ::setrlimit(RLIMIT_NOFILE, &few) == 0 ? "yes" : "no";
        }
        if (verb == "send" && words >> num)
            return send(num);
        if (verb == "sends")
            return sends_.text(num_sent_ - sends_.num_good - sends_.num_bad);
        if ((verb == "consume" || verb == "produce") && newest() == nullptr)
            return "lost";
        if (verb == "consume" && words >> kind >> num >> len)
            return consume(backing_of(kind), static_cast<std::uint32_t>(num), len);
        if (verb == "receives")
            return receives_.text(consumer_->num_inflight());
        if (verb == "produce" && words >> kind >> len)
            return produce(backing_of(kind), len);
        if (verb == "put" && words >> num >> len)
            return short_name(producer_->send(
                std::string(len, 'p'), static_cast<std::uint32_t>(num), 0, {}, Milliseconds(0)));
        if (verb == "puts")
            return puts_.text(producer_->num_inflight());
        if (verb == "end" && words >> kind)
            return kind == "consumer" ? end(consumer_) : end(producer_);
        if (verb == "nap" && words >> num) {
            std::this_thread::sleep_for(Milliseconds(num));
            return "awake";
        }
        if (verb == "doze" && words >> num) {
            for (; num != 0; --num) {
                must(doca_pe_request_notification(own_.pe()));
                turn();
            }
            return "awake";
        }
        if (verb == "sleep" && words >> num)
            return std::to_string(num_wakes(Milliseconds(num)));
        if (verb == "disconnect")
            return short_name(own_.disconnect(newest()));
        if (verb == "stop") {
            (void)own_.stop();
            return comes([this] { return own_.state() == DOCA_CTX_STATE_IDLE; }) ? "IDLE" : "busy";
        }
        return "what?";
    }

    std::size_t num_wakes(Milliseconds time)
    {
        std::size_t num = 0;
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) {
            while (own_.progress() != 0)
                continue;
            must(doca_pe_request_notification(own_.pe()));
            num += sleep_on(own_.pe(), time) ? 1 : 0;
        }
        return num;
    }

    std::string send(std::size_t num)
    {
        doca_comch_connection *const to = newest();
        std::size_t num_accepted = 0;
        while (to != nullptr && num_accepted < num &&
               num_sent_ - sends_.num_good - sends_.num_bad < own_.settings.num_sends / 2 &&
               own_.try_send("message", kMessage, to) == DOCA_SUCCESS) {
            ++num_accepted;
            ++num_sent_;
        }
        return std::to_string(num_accepted);
    }

    std::string consume(Backing backing, std::uint32_t num, std::size_t len)
    {
        ConsumerSettings settings;
        settings.num_tasks = num;
        settings.slot_len = len;
        settings.backing = backing;
        settings.imm_data_len = 16;
        receives_ = {};
        consumer_ = std::make_unique<ComchConsumer>(own_, settings, newest());
        consumer_->keeps = false;
        consumer_->frees_tasks = false;
        consumer_->on_received = [this](doca_task *task, doca_buf *buf) {
            receives_.count(DOCA_SUCCESS);
            EXPECT_EQ(doca_buf_reset_data_len(buf), DOCA_SUCCESS);
            if (const doca_error_t code = doca_task_submit(task); code != DOCA_SUCCESS)
                give_back(task, code); // it is stopping
        };
        consumer_->on_failed = [this](doca_task *task, doca_error_t status) {
            give_back(task, status);
        };
        (void)consumer_->start();
        if (!comes([this] { return consumer_->state() != DOCA_CTX_STATE_STARTING; }))
            return "STARTING";
        if (consumer_->state() != DOCA_CTX_STATE_RUNNING)
            return "lost";
        consumer_->post_all();
        return std::to_string(consumer_->id());
    }

    void give_back(doca_task *receive, doca_error_t status)
    {
        receives_.count(status);
        consumer_->free(receive);
    }

    std::string produce(Backing backing, std::size_t len)
    {
        ProducerSettings settings;
        settings.slot_len = len;
        settings.backing = backing;
        puts_ = {};
        producer_ = std::make_unique<ComchProducer>(own_, settings, newest());
        producer_->keeps = false;
        producer_->on_sent = [this](doca_task *, doca_error_t status) { puts_.count(status); };
        return short_name(producer_->start());
    }

    /// By a stop, unless it has come to rest already.
    template <typename Context>
    std::string end(std::unique_ptr<Context> &context)
    {
        (void)context->stop();
        if (!comes([&] { return context->state() == DOCA_CTX_STATE_IDLE; }))
            return "busy";
        const doca_error_t result = context->destroy();
        context.reset();
        return short_name(result);
    }

    ComchServer own_;
    std::unique_ptr<ComchConsumer> consumer_;
    std::unique_ptr<ComchProducer> producer_;
    std::size_t num_sent_ = 0;
    Ends sends_, receives_, puts_;
};

void ask_once(ComchClient &own)
{
    const std::size_t num = own.num_messages + 1;
    own.send("ping");
    must(own.progress_until([&] { return own.num_messages >= num && own.num_ended >= num; },
                            patience())
             ? DOCA_SUCCESS
             : DOCA_ERROR_TIME_OUT);
}

void keep_asking(const ComchSettings &settings, const Line &line)
{
    ComchClient own(settings);
    own.keeps = false;
    own.start_and_connect();
    line.send("connected");
    for (;;) {
        ask_once(own);
        if (!line.is_ready())
            continue;
        if (!line.wait())
            break;
        line.send_number(own.num_messages);
    }
    EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
}

/// The process of two clients.
class VictimClient {
public:
    explicit VictimClient(const ComchSettings &settings) : own_(settings)
    {
        own_.keeps = other_.keeps = false;
        own_.on_sent = [this](doca_task *, doca_error_t status) { sends_.count(status); };
        other_.on_message = [this](doca_comch_connection *, std::uint8_t *, std::uint32_t) {
            ask_other();
        };
        other_.start_and_connect();
        ask_other();
    }

    void serve(const Line &line)
    {
        std::string question;
        for (;;) {
            turn();
            if (!line.is_ready())
                continue;
            if (!line.wait(&question))
                break;
            std::istringstream words(question);
            line.send(answer(words));
        }
        EXPECT_EQ(other_.state(), DOCA_CTX_STATE_RUNNING);
    }

private:
    void ask_other()
    {
        EXPECT_EQ(other_.try_send("ping"), DOCA_SUCCESS);
        asked_at_ = std::chrono::steady_clock::now();
    }

    void turn()
    {
        (void)own_.progress();
        (void)other_.progress();
        must(std::chrono::steady_clock::now() - asked_at_ < patience() ? DOCA_SUCCESS
                                                                       : DOCA_ERROR_TIME_OUT);
    }

    std::string state() const
    {
        switch (own_.state()) {
        case DOCA_CTX_STATE_IDLE:
            return "IDLE";
        case DOCA_CTX_STATE_STARTING:
            return "STARTING";
        case DOCA_CTX_STATE_RUNNING:
            return "RUNNING";
        case DOCA_CTX_STATE_STOPPING:
            break;
        }
        return "STOPPING";
    }

    void turn_until(const std::function<bool()> &condition, Milliseconds limit)
    {
        const auto end = std::chrono::steady_clock::now() + limit;
        while (!condition() && std::chrono::steady_clock::now() < end)
            turn();
    }

    std::string answer(std::istream &words)
    {
        std::string verb;
        std::size_t num = 0;
        words >> verb;
        if (verb == "start")
            (void)own_.start();
        if (verb == "stop") {
            (void)own_.stop();
            turn_until([this] { return own_.state() == DOCA_CTX_STATE_IDLE; }, patience());
        }
        if (verb == "turn" && words >> num)
            turn_until([] { return false; }, Milliseconds(num));
        if (verb == "messages")
            return std::to_string(own_.num_messages);
        if (verb == "send" && words >> num) {
            std::size_t num_accepted = 0;
            while (num_accepted < num && own_.try_send("message") == DOCA_SUCCESS)
                ++num_accepted;
            return std::to_string(num_accepted);
        }
        if (verb == "sends")
            return std::to_string(sends_.num_good) + " " + std::to_string(sends_.num_bad);
        if (verb == "rounds")
            return std::to_string(other_.num_messages);
        return state();
    }

    ComchClient own_, other_;
    Ends sends_;
    std::chrono::steady_clock::time_point asked_at_;
};

} // namespace

ComchVictim::ComchVictim(const ComchSettings &settings)
    : Process("dpu", [settings](Line &line) {
          VictimServer server(settings);
          line.send("running");
          server.serve(line);
      })
{
    EXPECT_EQ(line.receive(), "running");
}

ComchVictimClient::ComchVictimClient(const std::string &service)
    : Process("host", [service](Line &line) {
          ComchSettings settings;
          settings.name = service;
          VictimClient client(settings);
          line.send("running");
          client.serve(line);
      })
{
    EXPECT_EQ(line.receive(), "running");
}

Bystander::Bystander(const ComchSettings &settings)
    : Process("host", [settings](Line &line) { keep_asking(settings, line); })
{
    EXPECT_EQ(line.receive(), "connected");
}

void expect_newcomer_served(const ComchSettings &settings)
{
    Process newcomer("host", [settings](Line &) {
        ComchClient own(settings);
        own.start_and_connect();
        ask_once(own);
    });
    newcomer.join();
}

HostileComchScene::HostileComchScene(const ComchSettings &settings)
    : victim(settings), bystander(settings), settings_(settings)
{
    expect_newcomer_served(settings_);
    num_losses_ = 1;
    EXPECT_EQ(victim.ask("doze 1"), "awake"); // its engine's descriptors are made then
    EXPECT_TRUE(comes_true([this] { return is_alone(); }));
    EXPECT_TRUE(comes_true([this] { // its agent may not be done yet with the newcomer
        const std::string before = std::exchange(census_, victim.ask("census"));
        std::this_thread::sleep_for(Milliseconds(20));
        return census_ == before;
    }));
}

bool HostileComchScene::is_alone() const
{
    const Clients now = clients();
    return now.num_live == 1 && now.num_connects == now.num_disconnects + 1;
}

void HostileComchScene::expect_served() const
{
    const std::uint64_t before = bystander.num_rounds();
    EXPECT_TRUE(comes_true([&] { return bystander.num_rounds() > before + 1; }));
}

void HostileComchScene::expect_losses(std::size_t num)
{
    num_losses_ += num;
    EXPECT_TRUE(comes_true([this] { return clients().num_disconnects == num_losses_; }))
        << clients().num_disconnects << " losses in place of " << num_losses_;
}

HostileComchScene::Clients HostileComchScene::clients() const
{
    std::istringstream words(victim.ask("clients"));
    Clients clients{};
    words >> clients.num_live >> clients.num_connects >> clients.num_disconnects;
    return clients;
}

void HostileComchScene::expect_unharmed() const
{
    expect_served();
    expect_newcomer_served(settings_);
    EXPECT_TRUE(comes_true([this] { return is_alone(); })) << victim.ask("clients");
    EXPECT_TRUE(comes_true([&] { return victim.ask("census") == census_; }))
        << victim.ask("census") << ", before " << census_;
}

} // namespace softdoca::test
