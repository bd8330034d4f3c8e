// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch_peer.hpp"

#include "comch_rig.hpp"
#include "harness.hpp"
#include "probes/seqpacket.hpp"
#include "probes/wake.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <poll.h>
#include <sched.h>
#include <sstream>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace softdoca::bench {

namespace {

constexpr const char *kPeer = "--comch-peer";
// What the peer answers to a command, in this order.
constexpr char kBegins = 'b';
constexpr char kDone = 'd';

} // namespace

// ---- what both sides share ----

SharedProbes::SharedProbes()
{
    int sockets[2];
    require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0, "socketpair");
    fds_ = {memfd_create("softdoca-bench-probes", 0), sockets[0], eventfd(0, 0), eventfd(0, 0),
            sockets[1]};
    require(fds_.memory >= 0 && ftruncate(fds_.memory, sizeof(ProbeBed)) == 0, "memfd");
    require(fds_.own_event >= 0 && fds_.event_of_peer >= 0, "eventfd");
    map();
    std::memset(static_cast<void *>(bed_), 0, sizeof(ProbeBed)); // no page fault later
    new (bed_) ProbeBed;
}

SharedProbes::SharedProbes(const std::string &fd_list)
{
    std::istringstream words(fd_list);
    words >> fds_.memory >> fds_.socket >> fds_.own_event >> fds_.event_of_peer;
    require(!words.fail(), "the arguments of the peer");
    map();
}

SharedProbes::~SharedProbes()
{
    munmap(static_cast<void *>(bed_), sizeof(ProbeBed));
    for (const int fd :
         {fds_.memory, fds_.socket, fds_.own_event, fds_.event_of_peer, fds_.socket_of_peer}) {
        if (fd >= 0)
            close(fd);
    }
}

void SharedProbes::map()
{
    void *addr = mmap(nullptr, sizeof(ProbeBed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                      fds_.memory, 0);
    require(addr != MAP_FAILED, "mapping of shared memory");
    bed_ = static_cast<ProbeBed *>(addr);
}

std::string SharedProbes::fd_list() const
{
    std::ostringstream words;
    words << fds_.memory << ' ' << fds_.socket_of_peer << ' ' << fds_.event_of_peer << ' '
          << fds_.own_event;
    return words.str();
}

void SharedProbes::close_on_exec() const
{
    for (const int fd :
         {fds_.memory, fds_.socket, fds_.own_event, fds_.event_of_peer, fds_.socket_of_peer})
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// ---- the benchmark's side ----

ComchPeer::ComchPeer()
    : process_({.command = {own_program(), kPeer, probes_.fd_list()},
                .cpus = {std::max(other_cpu(), 0)},
                .environment = {{"SOFTDOCA_ROLE", "host"}}})
{
    probes_.close_on_exec();
}

void ComchPeer::move_to_cpu(int cpu) const
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    require(sched_setaffinity(process_.pid(), sizeof set, &set) == 0, "sched_setaffinity");
}

void ComchPeer::expect(char answer) const
{
    char byte = 0;
    require(read(fileno(process_.output()), &byte, 1) == 1 && byte == answer,
            "the peer ended early");
}

void ComchPeer::begin(const std::string &command) const
{
    std::fprintf(process_.input(), "%s\n", command.c_str());
    std::fflush(process_.input());
    expect(kBegins);
}

void ComchPeer::finish() const
{
    expect(kDone);
}

void ComchPeer::finish(const std::function<void()> &meanwhile) const
{
    pollfd answer{fileno(process_.output()), POLLIN, 0};
    while (poll(&answer, 1, 0) == 0)
        meanwhile();
    finish();
}

// ---- the peer's side ----

namespace {

/// The state of the peer, and what it can do.
class Player {
public:
    explicit Player(const std::string &fd_list)
        : probes_(fd_list), receiver_(probes_.bed().posted),
          waker_(probes_.own_event(), probes_.event_of_peer())
    {
        add_setup();
        add_data();
        add_control();
        add_probes();
    }

    /// Until the benchmark closes the pipe.
    void play()
    {
        for (std::string line; std::getline(std::cin, line);) {
            std::istringstream words(line);
            std::string name;
            words >> name;
            const auto command = commands_.find(name);
            require(command != commands_.end(), "a command that the peer knows");
            say(kBegins);
            command->second(words);
            say(kDone);
        }
    }

private:
    using Words = std::istringstream;
    using Repeat = std::function<void(std::uint64_t num)>;

    static void say(char answer) { require(write(STDOUT_FILENO, &answer, 1) == 1, "an answer"); }

    /// A command whose only word is a number.
    void add(const std::string &name, const Repeat &repeat)
    {
        commands_[name] = [repeat](Words &words) {
            std::uint64_t num = 0;
            words >> num;
            repeat(num);
        };
    }

    void add_setup()
    {
        commands_["connect"] = [this](Words &words) { connect(words); };
        commands_["data"] = [this](Words &words) { open_data(words); };
    }

    void add_data()
    {
        add("receive", [this](std::uint64_t num) { data_->receiver().receive(num); });
        add("send", [this](std::uint64_t num) { data_->sender().send(num); });
        add("answer", [this](std::uint64_t num) { answer(end_of(data_engine_, *data_), num); });
        add("sleepy-answer", [this](std::uint64_t num) {
            answer(end_of(data_engine_, *data_), num, Rest::sleeping);
        });
    }

    void add_control()
    {
        add("take", [this](std::uint64_t num) { take(control_.get(), link(), num); });
        add("tell", [this](std::uint64_t num) {
            std::deque<Message> messages;
            for (std::uint64_t i = 0; i < num; ++i)
                messages.emplace_back(link(), probe::kSeqpacketMessageLen);
            send_all(control_.get(), link(), messages);
        });
        const auto echo = [this](std::uint64_t num, Rest rest) {
            const Message message(link(), probe::kSeqpacketMessageLen);
            answer(end_of(control_, link(), message), num, rest);
        };
        add("echo", [echo](std::uint64_t num) { echo(num, Rest::polling); });
        add("sleepy-echo", [echo](std::uint64_t num) { echo(num, Rest::sleeping); });
    }

    void add_probes()
    {
        using probe::Waiting;
        ProbeBed &bed = probes_.bed();
        const int socket = probes_.socket();
        add("ring-receive", [&bed](std::uint64_t num) { probe::ring_receive(bed.ring, num); });
        add("large-ring-receive",
            [&bed](std::uint64_t num) { probe::large_ring_receive(bed.ring, num); });
        add("ring-answer", [&bed](std::uint64_t num) { probe::ring_answer(bed.ring, num); });
        add("posted-receive", [this](std::uint64_t num) { receiver_.receive(num); });
        add("socket-spin", [socket](std::uint64_t num) {
            probe::seqpacket_answer(socket, num, Waiting::spinning);
        });
        add("socket-block", [socket](std::uint64_t num) {
            probe::seqpacket_answer(socket, num, Waiting::blocking);
        });
        add("wake", [this](std::uint64_t num) { waker_.answer(num); });
    }

    Link &link() { return clients_.back().link(); }

    void connect(Words &words)
    {
        std::string service;
        std::size_t num = 0;
        ControlSizes sizes;
        words >> service >> num >> sizes.num_send_tasks >> sizes.recv_queue_size;
        const std::size_t first = clients_.size();
        for (std::size_t i = 0; i < num; ++i)
            clients_.emplace_back(device_, control_, service, sizes);
        for (std::size_t i = first; i < clients_.size(); ++i)
            turn_until(
                {control_.get()}, [&] { return clients_[i].is_connected(); },
                "the connection of a client");
    }

    void open_data(Words &words)
    {
        std::string placement;
        DataShape shape;
        std::uint32_t consumer = 0;
        words >> placement >> shape.len >> shape.num_posted >> consumer;
        shape.placement =
            placement == name_of(Placement::mapped) ? Placement::mapped : Placement::heap;
        data_ = std::make_unique<DataEnd>(device_, link(), data_engine_, shape);
        const auto knows_consumer = [&] {
            const std::vector<std::uint32_t> &known = link().consumers;
            return std::find(known.begin(), known.end(), consumer) != known.end();
        };
        turn_until(
            {control_.get(), data_engine_.get()},
            [&] { return data_->is_running() && knows_consumer(); }, "the start of a consumer");
        data_->open(consumer);
    }

    std::map<std::string, std::function<void(Words &)>> commands_;
    SharedProbes probes_;
    probe::PostedReceiver receiver_;
    probe::Waker waker_;
    Device device_;
    ProgressEngine control_, data_engine_;
    std::deque<ComchClient> clients_;
    std::unique_ptr<DataEnd> data_;
};

} // namespace

void play_comch_peer_if_asked(int argc, char **argv)
{
    if (argc != 3 || std::strcmp(argv[1], kPeer) != 0)
        return;
    Player(argv[2]).play();
    std::exit(0);
}

} // namespace softdoca::bench
