// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Peers that are killed, stand still, or exit without a word. The stage is the survivor, as a
// server or as a client.

#include "support/comch_pair.hpp"
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

/// A peer that connects and says so, and then makes no call.
Process::Body connected(ComchSettings settings = {})
{
    return [settings](Line &line) {
        const std::unique_ptr<ComchEnd> own = own_end(settings);
        own->start_and_connect();
        line.send("connected");
        (void)line.wait();
    };
}

/// The stage's end, connected to that peer.
std::unique_ptr<ComchEnd> connect_to(const Process &peer, ComchSettings settings = {})
{
    std::unique_ptr<ComchEnd> own = own_end(std::move(settings));
    own->start_and_connect();
    EXPECT_EQ(peer.line.receive(), "connected");
    return own;
}

/// What an end says when its peer has gone and it is asked to send.
void expect_no_sends(ComchEnd &own, doca_comch_connection *lost)
{
    EXPECT_EQ(own.try_send("more", 0, lost),
              own_role() == "dpu" ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_BAD_STATE);
}

/// The first sends succeeded and those behind them were reset.
void expect_orderly_ends(const std::vector<SendEnd> &sends, std::size_t num)
{
    ASSERT_EQ(sends.size(), num);
    bool is_lost = false;
    for (std::size_t i = 0; i < num; ++i) { // without an expectation each: there may be many
        is_lost = is_lost || sends[i].status != DOCA_SUCCESS;
        const SendEnd right{i, is_lost ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS};
        if (sends[i] != right) {
            ASSERT_EQ(sends[i], right);
        }
    }
}

/// Sends 0, 1, 2 .. without end, until the peer is lost.
class Flood {
public:
    Flood(ComchEnd &own, doca_comch_connection *to) : own_(own), to_(to)
    {
        own_.on_sent = [this](doca_task *, doca_error_t status) {
            if (own_.keeps && own_.sends.back().number == kOther)
                return;
            ++num_ended_;
            is_over_ = is_over_ || status != DOCA_SUCCESS;
            send_one();
        };
        for (std::uint32_t i = 0; i < own_.settings.num_sends / 2; ++i)
            send_one();
    }
    ~Flood() { own_.on_sent = nullptr; }
    Flood(const Flood &) = delete;
    Flood &operator=(const Flood &) = delete;

    static constexpr std::uint64_t kOther = ~0ull; ///< the number of sends that are not of this

    bool has_ended() const { return is_over_ && num_ended_ == num_begun_; }
    std::size_t num_begun() const { return num_begun_; }

private:
    void send_one()
    {
        if (is_over_)
            return;
        is_over_ = own_.try_send(std::to_string(num_begun_), num_begun_, to_) != DOCA_SUCCESS;
        num_begun_ += is_over_ ? 0 : 1;
    }

    ComchEnd &own_;
    doca_comch_connection *to_;
    bool is_over_ = false;
    std::size_t num_begun_ = 0, num_ended_ = 0;
};

/// A peer that connects when it is told to, and floods the stage until it is killed.
void flood_when_told(Line &line)
{
    if (!line.wait())
        return; // the test has failed
    const std::unique_ptr<ComchEnd> own = own_end();
    own->keeps = false;
    own->start_and_connect();
    const Flood flood(*own, own->connection());
    own->progress_until_told(line);
}

/// Kills a process while the stage goes on, at a random moment.
class Killer {
public:
    Killer(Process &victim, std::chrono::microseconds delay)
        : victim_(victim), thread_([delay, pid = victim.pid()] {
              std::this_thread::sleep_for(delay);
              ::kill(pid, SIGKILL);
          })
    {
    }
    ~Killer()
    {
        thread_.join();
        victim_.kill(); // gone for certain
    }
    Killer(const Killer &) = delete;
    Killer &operator=(const Killer &) = delete;

private:
    Process &victim_;
    std::thread thread_;
};

std::deque<Process> make_victims(const Process::Body &body)
{
    std::deque<Process> victims;
    const int num = std::min(num_rounds(10), 500);
    for (int i = 0; i < num; ++i)
        victims.emplace_back(other_role(), body);
    return victims;
}

/// One life of a peer: traffic in both directions until it dies; all ends are in order.
void live_and_die(ComchEnd &own, doca_comch_connection *to, Process &victim,
                  std::chrono::microseconds delay)
{
    (void)own.take();
    own.sends.clear();
    own.messages.clear();
    Flood flood(own, to);
    {
        const Killer killer(victim, delay);
        EXPECT_TRUE(own.progress_until([&] { return flood.has_ended(); }, patience(kSoon)));
    }
    std::erase_if(own.sends, [](const SendEnd &end) { return end.number == Flood::kOther; });
    expect_orderly_ends(own.sends, flood.num_begun());
    std::erase_if(own.messages,
                  [to](const ComchEnd::Message &message) { return message.connection != to; });
    EXPECT_EQ(own.texts(), numbers(own.messages.size()));
}

/// A client that asks again and again and always gets its answer.
void keep_asking(Line &line)
{
    ComchClient own;
    own.start_and_connect();
    line.send("connected");
    while (!line.is_ready()) {
        own.send("ping");
        must(own.receives(own.num_ended + 1) ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT);
        EXPECT_TRUE(own.ends_sends(own.num_messages));
    }
    EXPECT_EQ(own.moves(), (Record{"IDLE->STARTING", "STARTING->RUNNING"}));
    line.send_number(own.num_messages);
    (void)line.wait();
}

} // namespace

TEST(ComchDeath, AQuietPeerIsKilled)
{
    on_stage([] {
        Process peer(other_role(), connected());
        const auto own = connect_to(peer);
        doca_comch_connection *const connection = own->connection();

        peer.kill();

        expect_lost(*own);
        expect_no_sends(*own, connection);
    });
}

TEST(ComchDeath, SendsThatThePeerHasTakenAreSuccessesTheOthersAreReset)
{
    on_stage([] {
        constexpr std::size_t kNum = 8, kQueue = 3;
        Process peer(other_role(), connected({.recv_queue_size = kQueue}));
        const auto own = connect_to(peer);
        for (std::size_t i = 0; i < kNum; ++i)
            own->send(std::to_string(i), i);
        EXPECT_TRUE(own->ends_sends(kQueue));

        peer.kill();

        EXPECT_TRUE(own->ends_sends(kNum, patience(kSoon)));
        expect_lost(*own);
        expect_orderly_ends(own->sends, kNum);
        EXPECT_EQ(own->sends[kQueue - 1].status, DOCA_SUCCESS);
        EXPECT_EQ(own->sends[kQueue].status, DOCA_ERROR_CONNECTION_RESET);
    });
}

/// The peer has exited before we look: first what it said, then the loss.
TEST(ComchDeath, TheLastMessagesComeBeforeTheLoss)
{
    on_stage([] {
        constexpr std::size_t kNum = 20;
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            line.send("connected");
            (void)line.wait();
            for (std::size_t i = 0; i < kNum; ++i)
                EXPECT_EQ(own->try_send(std::to_string(i)), DOCA_SUCCESS);
            ::_exit(testing::Test::HasFailure() ? 1 : 0);
        });
        const auto own = connect_to(peer);
        peer.line.send("say it");
        peer.join();

        EXPECT_TRUE(own->receives(kNum));
        EXPECT_EQ(own->texts(), numbers(kNum));
        EXPECT_NE(own->connection(), nullptr);
        expect_lost(*own);
    });
}

/// No destructor runs.
TEST(ComchDeath, ThePeerExitsInTheMiddle)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            line.send("connected");
            (void)line.wait();
            std::exit(0);
        });
        const auto own = connect_to(peer);

        peer.end();

        expect_lost(*own);
    });
}

TEST(ComchDeath, ThePeerRunsAnotherProgram)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            line.send("connected");
            (void)line.wait();
            ::execl("/bin/sleep", "sleep", "60", nullptr);
            line.send("cannot run it");
        });
        const auto own = connect_to(peer);
        peer.line.send("run it");
        EXPECT_FALSE(peer.line.wait()); // its end of the line is closed

        expect_lost(*own);

        peer.kill();
    });
}

/// A child has all that its parent had; it is not the peer.
void expect_lost_though_child_lives(pid_t (*make_child)())
{
    on_stage([=] {
        Process peer(other_role(), [=](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            line.send("connected");
            (void)line.wait();
            const pid_t child = make_child();
            if (child == 0)
                while (true)
                    ::pause();
            line.send_number(static_cast<std::uint64_t>(child));
            (void)line.wait();
        });
        const auto own = connect_to(peer);
        peer.line.send("fork");
        const auto child = static_cast<pid_t>(peer.line.receive_number());

        peer.kill();

        expect_lost(*own);
        EXPECT_EQ(::kill(child, 0), 0); // it was there all the time
        ::kill(child, SIGKILL);
    });
}

TEST(ComchDeath, AForkedChildOfThePeerLivesOn)
{
    expect_lost_though_child_lives([] { return ::fork(); });
}

/// Made without libc, as some runtimes do: it keeps all descriptors, so no connection breaks.
TEST(ComchDeath, AChildOfThePeerWithAllDescriptorsLivesOn)
{
    expect_lost_though_child_lives(
        [] { return static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); });
}

/// As one that a debugger has stopped: nothing is lost, and it goes on as if nothing had been.
TEST(ComchDeath, APeerThatStandsStillIsNotLost)
{
    on_stage([] {
        constexpr std::size_t kNum = 8, kQueue = 3;
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end({.recv_queue_size = kQueue});
            own->start_and_connect();
            line.send("connected");
            (void)line.wait();
            EXPECT_TRUE(own->receives(kNum));
            EXPECT_EQ(own->texts(), numbers(kNum));
            line.send("compared");
            (void)line.wait();
        });
        const auto own = connect_to(peer);
        peer.pause();
        for (std::size_t i = 0; i < kNum; ++i)
            own->send(std::to_string(i), i);
        EXPECT_TRUE(own->ends_sends(kQueue));
        look_around(*own, Milliseconds(300));
        EXPECT_EQ(own->num_ended, kQueue);
        EXPECT_NE(own->connection(), nullptr);

        peer.resume();

        peer.line.send("go on");
        EXPECT_TRUE(own->ends_sends(kNum));
        expect_all_sent(*own, kNum);
        own->progress_until_told(peer.line);
        EXPECT_EQ(peer.line.receive(), "compared");
    });
}

TEST(ComchDeath, APeerThatStandsStillIsKilled)
{
    on_stage([] {
        constexpr std::size_t kNum = 8;
        Process peer(other_role(), connected({.recv_queue_size = 1}));
        const auto own = connect_to(peer);
        peer.pause();
        for (std::size_t i = 0; i < kNum; ++i)
            own->send(std::to_string(i), i);
        look_around(*own);

        peer.kill();

        EXPECT_TRUE(own->ends_sends(kNum, patience(kSoon)));
        expect_lost(*own);
        expect_orderly_ends(own->sends, kNum);
    });
}

TEST(ComchDeath, AStopDoesNotWaitForAPeerThatStandsStill)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            line.send("connected");
            (void)line.wait();
            expect_lost(*own);
            line.send("lost");
        });
        const auto own = connect_to(peer);
        peer.pause();

        (void)own->stop();
        EXPECT_TRUE(own->reaches(DOCA_CTX_STATE_IDLE, patience(kSoon)));

        peer.resume();
        peer.line.send("look");
        EXPECT_EQ(peer.line.receive(), "lost");
    });
}

/// Drained sends need the peer; when it dies they are reset, and the stop ends.
TEST(ComchDeath, APeerIsKilledWhileAStopWaitsForIt)
{
    on_stage([] {
        constexpr std::size_t kNum = 4;
        Process peer(other_role(), connected({.recv_queue_size = 1}));
        const auto own = connect_to(peer);
        for (std::size_t i = 0; i < kNum; ++i)
            own->send(std::to_string(i), i);
        EXPECT_EQ(own->stop(), DOCA_ERROR_IN_PROGRESS);
        look_around(*own);
        EXPECT_EQ(own->state(), DOCA_CTX_STATE_STOPPING);

        peer.kill();

        EXPECT_TRUE(own->reaches(DOCA_CTX_STATE_IDLE, patience(kSoon)));
        expect_orderly_ends(own->sends, kNum);
    });
}

/// They end by themselves; a client waits in STOPPING until they are destroyed, a server goes on.
TEST(ComchDeath, ALostPeerEndsConsumersAndProducers)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            line.send("connected");
            own->progress_until_told(line);
        });
        const auto own = connect_to(peer);
        auto consumer = std::make_unique<ComchConsumer>(*own);
        auto producer = std::make_unique<ComchProducer>(*own);
        consumer->start_and_run();
        must(producer->start());
        consumer->post_all();

        peer.kill();

        EXPECT_TRUE(consumer->reaches(DOCA_CTX_STATE_IDLE, patience(kSoon)));
        EXPECT_TRUE(producer->reaches(DOCA_CTX_STATE_IDLE, patience(kSoon)));
        EXPECT_EQ(consumer->receipts.size(), 16u);
        for (const ComchConsumer::Receipt &receipt : consumer->receipts)
            EXPECT_EQ(receipt.status, DOCA_ERROR_CONNECTION_RESET);
        EXPECT_EQ(consumer->moves(), (Record{"IDLE->STARTING", "STARTING->RUNNING",
                                             "RUNNING->STOPPING", "STOPPING->IDLE"}));
        EXPECT_EQ(producer->moves(),
                  (Record{"IDLE->RUNNING", "RUNNING->STOPPING", "STOPPING->IDLE"}));
        if (own_role() == "host") {
            EXPECT_TRUE(own->reaches(DOCA_CTX_STATE_STOPPING, patience(kSoon)));
            look_around(*own);
            EXPECT_EQ(own->state(), DOCA_CTX_STATE_STOPPING);
        }
        consumer.reset();
        producer.reset();
        expect_lost(*own);
    });
}

/// Other clients are not disturbed when one dies; or a client finds the next server.
TEST(ComchDeath, KilledUnderTraffic)
{
    on_stage([] {
        std::deque<Process> victims = make_victims(flood_when_told);
        std::mt19937 random(5);
        std::vector<Census> censuses;
        const auto delay = [&] { return std::chrono::microseconds(random() % 3000); };

        if (own_role() == "dpu") {
            Process bystander("host", keep_asking);
            ComchServer own({.num_sends = 128});
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                if (own.messages.back().text == "ping") {
                    EXPECT_EQ(own.try_send("pong", Flood::kOther, from), DOCA_SUCCESS);
                }
            };
            own.start_and_connect();
            EXPECT_EQ(bystander.line.receive(), "connected");
            for (Process &victim : victims) {
                victim.line.send("go");
                ASSERT_TRUE(own.has_connections(2));
                live_and_die(own, own.connection(), victim, delay());
                ASSERT_TRUE(own.has_connections(1, patience(kSoon)));
                censuses.push_back(Census::now());
            }
            EXPECT_EQ(own.num_disconnects, victims.size());
            bystander.line.send("enough");
            own.progress_until_told(bystander.line);
            EXPECT_GT(bystander.line.receive_number(), victims.size());
        } else {
            ComchClient own;
            for (Process &victim : victims) {
                victim.line.send("go");
                own.start_and_connect();
                live_and_die(own, own.connection(), victim, delay());
                ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE, patience(kSoon)));
                EXPECT_EQ(own.moves(), (Record{"RUNNING->STOPPING", "STOPPING->IDLE"}));
                censuses.push_back(Census::now());
            }
        }
        EXPECT_TRUE(comes_true([&] { return Census::now().is_within(censuses.front()); }))
            << Census::now() << " at the end, " << censuses.front() << " after the first death";
    });
}
