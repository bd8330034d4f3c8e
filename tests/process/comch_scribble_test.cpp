// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A process that has a connection with traffic in both directions and writes at random over all of
// its shared memory, and to its sockets. The other side loses that connection at worst, each of its
// tasks ends once, and its other connection goes on. Whatever the process has done to itself, its
// own library bears it too, until it is killed.

#include "support/comch_victim.hpp"
#include "support/raw_peer.hpp"
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr unsigned kSeed = 20260;

/// Messages of all kinds on one connection: control messages, and a consumer and a producer.
class Traffic {
public:
    Traffic(ComchEnd &own, doca_comch_connection *connection, unsigned seed)
        : own_(own), connection_(connection), random_(seed),
          consumer_(own, consumer_settings(own, seed), connection),
          producer_(own, producer_settings(own, seed), connection)
    {
        own_.peer_consumers.clear();
        consumer_.keeps = producer_.keeps = false;
        consumer_.frees_tasks = false;
        consumer_.on_received = [this](doca_task *task, doca_buf *buf) {
            std::size_t len = 0;
            EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
            EXPECT_LE(len, consumer_.settings.slot_len);
            EXPECT_EQ(doca_buf_reset_data_len(buf), DOCA_SUCCESS);
            if (doca_task_submit(task) != DOCA_SUCCESS) // it is stopping
                give_back(task);
        };
        consumer_.on_failed = [this](doca_task *task, doca_error_t) { give_back(task); };
        (void)consumer_.start();
        (void)producer_.start();
    }

    void step()
    {
        (void)own_.progress();
        if (consumer_.state() == DOCA_CTX_STATE_RUNNING && !has_posted_) {
            consumer_.post_all();
            has_posted_ = true;
        }
        if (!is_over_ && own_.num_inflight() < own_.settings.num_sends / 2 && random_() % 4 == 0)
            (void)own_.try_send(std::string(random_() % 500 + 1, 'm'), kNumber, connection_);
        if (!own_.peer_consumers.empty() && producer_.state() == DOCA_CTX_STATE_RUNNING)
            produce();
        if (waiting_ != nullptr && producer_.state() != DOCA_CTX_STATE_RUNNING)
            producer_.free(std::exchange(waiting_, nullptr));
    }

    /// The program has heard of the end of the connection.
    void end()
    {
        is_over_ = true;
        (void)consumer_.stop();
        (void)producer_.stop();
    }
    bool is_over() const { return is_over_; }
    std::string text() const
    {
        return "consumer in state " + std::to_string(consumer_.state()) + " with " +
               std::to_string(consumer_.num_inflight()) + " receives, producer in state " +
               std::to_string(producer_.state()) + " with " +
               std::to_string(producer_.num_inflight()) + " sends";
    }
    bool is_at_rest() const
    {
        return consumer_.state() == DOCA_CTX_STATE_IDLE && producer_.state() == DOCA_CTX_STATE_IDLE;
    }
    /// Every task has ended, once.
    void expect_settled()
    {
        EXPECT_EQ(num_given_back_, has_posted_ ? consumer_.settings.num_tasks : 0);
        EXPECT_EQ(consumer_.num_inflight(), 0u);
        EXPECT_EQ(producer_.num_inflight(), 0u);
        EXPECT_EQ(producer_.num_ended, num_sent_);
        EXPECT_EQ(consumer_.destroy(), DOCA_SUCCESS);
        EXPECT_EQ(producer_.destroy(), DOCA_SUCCESS);
    }

    static constexpr std::uint64_t kNumber = 1; ///< of the control messages

private:
    static ConsumerSettings consumer_settings(const ComchEnd &own, unsigned seed)
    {
        ConsumerSettings settings;
        settings.num_tasks = 8;
        settings.slot_len = 16384;
        settings.imm_data_len = 16;
        settings.backing = seed % 2 == 0 ? Backing::plain : Backing::shared;
        settings.pe = own.pe();
        return settings;
    }
    static ProducerSettings producer_settings(const ComchEnd &own, unsigned seed)
    {
        ProducerSettings settings;
        settings.slot_len = 16384;
        settings.backing = seed % 4 < 2 ? Backing::plain : Backing::shared;
        settings.pe = own.pe();
        return settings;
    }

    void give_back(doca_task *receive)
    {
        consumer_.free(receive);
        ++num_given_back_;
    }

    void produce()
    {
        if (waiting_ == nullptr) {
            if (producer_.num_inflight() == producer_.settings.num_tasks)
                return;
            const std::size_t len = random_() % 3 == 0 ? 257 + random_() % 16000 : random_() % 257;
            waiting_ = producer_.task(std::string(len, 'p'), own_.peer_consumers.back(), 0,
                                      len == 0 || random_() % 2 == 0 ? "immediate" : "");
        }
        const doca_error_t result = doca_task_submit(waiting_);
        if (result == DOCA_ERROR_AGAIN)
            return;
        if (result == DOCA_SUCCESS)
            ++num_sent_;
        else
            producer_.free(waiting_);
        waiting_ = nullptr;
    }

    ComchEnd &own_;
    doca_comch_connection *const connection_;
    std::minstd_rand random_;
    ComchConsumer consumer_;
    ComchProducer producer_;
    doca_task *waiting_ = nullptr; // made, not submitted
    std::size_t num_sent_ = 0, num_given_back_ = 0;
    bool has_posted_ = false, is_over_ = false;
};

/// The shared memory of this process that it may write to, in mappings of their own: the library
/// undoes its own ones when it likes.
class Areas {
public:
    struct Area {
        std::uint64_t *words;
        std::size_t num_words;
    };

    /// Adds what is new.
    void refresh()
    {
        std::ifstream maps("/proc/self/maps");
        for (std::string line; std::getline(maps, line);) {
            std::uintptr_t begin = 0, end = 0;
            unsigned long inode = 0;
            if (line.find("memfd:softdoca") == std::string::npos ||
                std::sscanf(line.c_str(), "%lx-%lx rw-s %*x %*x:%*x %lu", &begin, &end, &inode) !=
                    3 ||
                !known_.insert(inode).second)
                continue;
            void *const again = ::mremap(reinterpret_cast<void *>(begin), 0, end - begin,
                                         MREMAP_MAYMOVE); // one more of the same
            if (again != MAP_FAILED)
                all_.push_back({static_cast<std::uint64_t *>(again), (end - begin) / 8});
        }
    }
    const Area &any(std::uint64_t random) const { return all_[random % all_.size()]; }

private:
    std::set<unsigned long> known_; // files
    std::vector<Area> all_;
};

/// A value that may have a meaning at that place, or any.
std::uint64_t some_value(std::mt19937_64 &random, std::uint64_t now)
{
    const std::uint64_t any = random();
    switch (any & 7) {
    case 0:
        return any;
    case 1:
        return any >> 60;
    case 2:
        return any >> 56 << 32 | (any >> 8 & 15);
    case 3:
        return now + 1;
    case 4:
        return now + 4;
    case 5:
        return now - 1;
    case 6:
        return now ^ (std::uint64_t{1} << (any >> 8 & 63));
    default:
        return now ^ (any >> 8 & 0xffff);
    }
}

/// Half of the writes go to the begin of an area, where most has a meaning.
void scribble(std::mt19937_64 &random, const Areas &areas)
{
    const Areas::Area &area = areas.any(random());
    const std::uint64_t any = random();
    const std::size_t num = any & 1 ? area.num_words : std::min<std::size_t>(area.num_words, 400);
    std::uint64_t *const word = area.words + (any >> 1) % num;
    const std::uint64_t now = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, some_value(random, now), __ATOMIC_RELAXED);
}

std::set<int> open_files()
{
    std::set<int> fds;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
        fds.insert(std::stoi(entry.path().filename()));
    return fds;
}

/// To all sockets with a peer that are not among the given ones.
void talk_garbage(std::mt19937_64 &random, const std::set<int> &others)
{
    for (const int fd : open_files()) {
        sockaddr_storage peer{};
        socklen_t len = sizeof peer;
        if (others.contains(fd) ||
            ::getpeername(fd, reinterpret_cast<sockaddr *>(&peer), &len) != 0)
            continue;
        const auto type = static_cast<std::uint16_t>(random() % 20);
        const std::string content = raw::random_bytes(random() % 64);
        const std::string bytes =
            random() % 2 == 0 ? content + "x" : raw::message(type, raw::Bytes().raw(content));
        const raw::Fd memory = raw::memory_file(4096, raw::kSealSize);
        const raw::Fd event(::eventfd(0, EFD_CLOEXEC));
        const raw::Socket socket((raw::Fd(::dup(fd))));
        std::vector<int> fds{memory.get(), event.get()};
        fds.resize(random() % 3);
        socket.send(bytes, fds);
    }
}

/// Writes for as long as it lives: densely or sparsely, at once or after a while.
void scribble_for_ever(unsigned seed, const std::set<int> &others)
{
    std::mt19937_64 random(seed);
    const auto pause = std::chrono::microseconds(seed % 3 == 0 ? 0 : seed % 3 == 1 ? 20 : 500);
    const bool talks = random() % 2 == 0;
    Areas areas;
    for (;;) {
        areas.refresh();
        for (int i = 0; i < 200; ++i) {
            for (int burst = 0; burst < 4; ++burst)
                scribble(random, areas);
            if (pause.count() != 0)
                std::this_thread::sleep_for(pause);
        }
        if (talks)
            talk_garbage(random, others);
    }
}

/// The process that does it, of either role.
void run_wild(unsigned seed, const ComchSettings &settings, const Line &line)
{
    const std::set<int> others = open_files();
    const std::unique_ptr<ComchEnd> own = own_end(settings);
    own->keeps = false;
    own->start_and_connect();
    Traffic traffic(*own, own->connection(), seed);
    for (const auto end = std::chrono::steady_clock::now() + Milliseconds(seed % 20);
         std::chrono::steady_clock::now() < end;)
        traffic.step();
    line.send("begins");
    std::thread(scribble_for_ever, seed, others).detach();
    for (;;) // until it is killed
        traffic.step();
}

/// The other side: traffic on each connection that comes.
class Survivor {
public:
    explicit Survivor(ComchEnd &own) : own_(own)
    {
        own_.keeps = false;
        own_.frees_tasks = false;
        own_.on_sent = [this](doca_task *task, doca_error_t) { own_.free(task); };
    }

    void begin(doca_comch_connection *connection)
    {
        traffic_ = std::make_unique<Traffic>(own_, connection, num_rounds_++);
    }
    void end()
    {
        if (traffic_ != nullptr && !traffic_->is_over())
            traffic_->end();
    }
    void step()
    {
        if (traffic_ != nullptr)
            traffic_->step();
        else
            (void)own_.progress();
    }
    /// The process at the other end has been killed.
    std::string settle()
    {
        const auto limit = std::chrono::steady_clock::now() + patience(kSoon);
        while (traffic_ != nullptr && !(traffic_->is_over() && traffic_->is_at_rest())) {
            if (std::chrono::steady_clock::now() > limit)
                return (traffic_->is_over() ? "no rest: " : "no loss: ") + traffic_->text();
            step();
        }
        if (traffic_ != nullptr)
            traffic_->expect_settled();
        traffic_.reset();
        return testing::Test::HasFailure() ? "failed" : "settled";
    }

private:
    ComchEnd &own_;
    std::unique_ptr<Traffic> traffic_;
    unsigned num_rounds_ = 0;
};

/// Answers whoever asks, beside the traffic.
void survive_as_server(const Line &line)
{
    ComchServer own;
    Survivor survivor(own);
    doca_comch_connection *newest = nullptr;
    own.on_message = [&](doca_comch_connection *from, std::uint8_t *text, std::uint32_t len) {
        if (from == own.connections.front() && len == 4 &&
            std::string(text, text + len) == "ping") {
            EXPECT_EQ(own.try_send("pong", 0, from), DOCA_SUCCESS);
        }
    };
    own.on_connect = [&](doca_comch_connection *connection, bool) {
        newest = own.connections.size() == 1 ? nullptr : connection; // the first is the bystander
    };
    own.on_disconnect = [&](doca_comch_connection *) {
        newest = nullptr;
        survivor.end();
    };
    must(own.start());
    line.send("running");
    for (;;) {
        survivor.step();
        if (newest != nullptr)
            survivor.begin(std::exchange(newest, nullptr));
        if (!line.is_ready())
            continue;
        if (!line.wait())
            return;
        line.send(survivor.settle());
        EXPECT_EQ(own.num_disconnects + 1, own.num_connects);
    }
}

/// Has another connection, to a server that answers.
void survive_as_client(const Line &line)
{
    ComchSettings settings;
    settings.name = "wild";
    ComchClient own(settings), other;
    Survivor survivor(own);
    other.keeps = false;
    other.start_and_connect();
    auto asked_at = std::chrono::steady_clock::now();
    const auto ask = [&] {
        EXPECT_EQ(other.try_send("ping"), DOCA_SUCCESS);
        asked_at = std::chrono::steady_clock::now();
    };
    other.on_message = [&](doca_comch_connection *, std::uint8_t *, std::uint32_t) { ask(); };
    ask();
    own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next == DOCA_CTX_STATE_STOPPING)
            survivor.end();
    };
    (void)own.start();
    line.send("running");
    bool is_new = true;
    for (;;) {
        survivor.step();
        (void)other.progress();
        must(std::chrono::steady_clock::now() - asked_at < patience(kSoon) ? DOCA_SUCCESS
                                                                           : DOCA_ERROR_TIME_OUT);
        if (own.state() == DOCA_CTX_STATE_RUNNING && is_new)
            survivor.begin(own.connection());
        is_new = own.state() != DOCA_CTX_STATE_RUNNING;
        if (!line.is_ready())
            continue;
        if (!line.wait())
            return;
        const std::string how = survivor.settle();
        EXPECT_TRUE(own.state() == DOCA_CTX_STATE_STARTING || own.reaches(DOCA_CTX_STATE_IDLE))
            << own.state() << " " << own.num_inflight();
        (void)own.start();
        line.send(how);
    }
}

bool has_died(pid_t pid)
{
    siginfo_t about{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           about.si_pid != 0;
}

/// Lets one process after the other do it, for two seconds, or about a minute in a soak.
void wild_rounds(const std::string &role, const std::string &service, const Process &survivor,
                 const std::function<void()> &check)
{
    const std::chrono::seconds time(std::min(num_rounds(2), 50));
    const auto end = std::chrono::steady_clock::now() + time;
    unsigned seed = kSeed;
    for (; std::chrono::steady_clock::now() < end; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        ComchSettings settings;
        settings.name = service;
        Process wild(role, [=](Line &line) { run_wild(seed, settings, line); });
        ASSERT_EQ(wild.line.receive(), "begins");
        std::this_thread::sleep_for(Milliseconds(20 + seed % 7 * 10));
        EXPECT_FALSE(has_died(wild.pid())) << "its own library has not borne it";
        wild.kill();
        survivor.line.send("settle");
        ASSERT_EQ(survivor.line.receive(), "settled");
        check();
    }
    std::printf("# seeds %u to %u\n", kSeed, seed - 1);
}

} // namespace

TEST(ComchScribble, AClientWritesOverAllThatItShares)
{
    on_stage([] {
        const Process survivor("dpu", survive_as_server);
        ASSERT_EQ(survivor.line.receive(), "running");
        const Bystander bystander;
        std::uint64_t before = bystander.num_rounds();
        wild_rounds("host", "svc", survivor, [&] {
            const std::uint64_t now = bystander.num_rounds();
            EXPECT_GT(now, before);
            before = now;
        });
    });
}

TEST(ComchScribble, AServerWritesOverAllThatItShares)
{
    on_stage([] {
        const ComchVictim other_server;
        const Process survivor("host", survive_as_client);
        ASSERT_EQ(survivor.line.receive(), "running");
        wild_rounds("dpu", "wild", survivor, [] {});
    });
}
