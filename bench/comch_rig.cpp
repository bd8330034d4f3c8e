// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch_rig.hpp"

#include "harness.hpp"

#include <doca_error.h>
#include <string>
#include <sys/epoll.h>
#include <unistd.h>
#include <vector>

namespace softdoca::bench {

namespace {

/// Waits as a program without a thread to spare does.
class Sleeper {
public:
    explicit Sleeper(doca_pe *pe) : pe_(pe), epoll_(epoll_create1(EPOLL_CLOEXEC))
    {
        doca_notification_handle_t handle = doca_event_invalid_handle;
        require(doca_pe_get_notification_handle(pe, &handle), "doca_pe_get_notification_handle");
        epoll_event interest{};
        interest.events = EPOLLIN;
        require(epoll_ctl(epoll_, EPOLL_CTL_ADD, handle, &interest) == 0, "epoll_ctl");
    }
    ~Sleeper() { close(epoll_); }
    Sleeper(const Sleeper &) = delete;
    Sleeper &operator=(const Sleeper &) = delete;

    template <typename Condition>
    void operator()(Condition condition) const
    {
        for (;;) {
            while (doca_pe_progress(pe_) != 0) {
            }
            if (condition())
                return;
            require(doca_pe_request_notification(pe_), "doca_pe_request_notification");
            epoll_event event;
            while (epoll_wait(epoll_, &event, 1, -1) < 1) {
            }
            require(doca_pe_clear_notification(pe_, 0), "doca_pe_clear_notification");
        }
    }

private:
    doca_pe *pe_;
    int epoll_;
};

struct Poller {
    doca_pe *pe;

    template <typename Condition>
    void operator()(Condition condition) const
    {
        while (!condition())
            doca_pe_progress(pe);
    }
};

void submit(const End &end)
{
    doca_error_t result = doca_task_submit(end.message);
    while (result == DOCA_ERROR_AGAIN)
        result = doca_task_submit(end.message);
    require(result, "submit of a message");
}

template <typename Wait>
void ask_by(const End &end, std::uint64_t num_messages, const Wait &wait)
{
    std::uint64_t received = *end.num_received, sent = *end.num_sent;
    for (std::uint64_t i = 0; i < num_messages; ++i) {
        submit(end);
        ++received;
        ++sent;
        wait([&] { return *end.num_received == received && *end.num_sent == sent; });
    }
}

template <typename Wait>
void answer_by(const End &end, std::uint64_t num_messages, const Wait &wait)
{
    std::uint64_t received = *end.num_received, sent = *end.num_sent;
    for (std::uint64_t i = 0; i < num_messages; ++i) {
        ++received;
        wait([&] { return *end.num_received == received && *end.num_sent == sent; });
        submit(end);
        ++sent;
    }
    wait([&] { return *end.num_sent == sent; });
}

} // namespace

End end_of(const ProgressEngine &engine, const Link &link, const Message &message)
{
    return {engine.get(), message.task(), &link.num_received, &link.num_sent};
}

End end_of(const ProgressEngine &engine, DataEnd &data)
{
    return {engine.get(), data.sender().task(), &data.receiver().num_received(),
            &data.sender().num_sent()};
}

void ask(const End &end, std::uint64_t num_messages, Rest rest)
{
    if (rest == Rest::polling)
        ask_by(end, num_messages, Poller{end.pe});
    else
        ask_by(end, num_messages, Sleeper(end.pe));
}

void answer(const End &end, std::uint64_t num_messages, Rest rest)
{
    if (rest == Rest::polling)
        answer_by(end, num_messages, Poller{end.pe});
    else
        answer_by(end, num_messages, Sleeper(end.pe));
}

ComchRig::ComchRig(ControlSizes sizes_of_each) : sizes(sizes_of_each), representor(device) {}

void ComchRig::serve(std::size_t num_clients)
{
    static int num_services = 0;
    const std::string service =
        "softdoca_bench_" + std::to_string(getpid()) + "_" + std::to_string(num_services++);
    ComchServer &server = servers.emplace_back(device, representor, control, service, sizes);
    const auto connect = [&](std::size_t num) {
        const std::size_t wanted = server.links().size() + num;
        peer.begin("connect " + service + " " + std::to_string(num) + " " +
                   std::to_string(sizes.num_send_tasks) + " " +
                   std::to_string(sizes.recv_queue_size));
        peer.finish([&] { doca_pe_progress(control.get()); });
        turn_until(
            {control.get()}, [&] { return server.links().size() == wanted; },
            "the clients' connections");
    };
    // One after all others, so that both sides have the same one as their newest.
    if (num_clients > 1)
        connect(num_clients - 1);
    connect(1);
}

void ComchRig::open_data(const DataShape &shape)
{
    data = std::make_unique<DataEnd>(device, link(), data_engine, shape);
    peer.begin("data " + std::string(name_of(shape.placement)) + " " + std::to_string(shape.len) +
               " " + std::to_string(shape.num_posted) + " " +
               std::to_string(data->receiver().id()));
    const std::vector<doca_pe *> both = {control.get(), data_engine.get()};
    peer.finish([&] {
        for (doca_pe *pe : both)
            doca_pe_progress(pe);
    });
    turn_until(
        both, [&] { return data->is_running() && !link().consumers.empty(); },
        "the start of consumers");
    data->open(link().consumers.back());
}

} // namespace softdoca::bench
