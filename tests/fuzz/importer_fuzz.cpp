// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The importer's end of a connection: an exporter that answers what it likes. Whatever window comes
// of it must be safe to use within the bounds that it says itself.

#include "fuzzed_exporter.hpp"

#include "fabric/descriptor.hpp"
#include "fabric/local_process.hpp"
#include "fabric/window.hpp"

#include <doca_types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace softdoca;
using fuzz::is_odd;
using fuzz::Line;
using fuzz::must;

namespace {

fuzz::FuzzedExporter &exporter()
{
    (void)fuzz::own_fabric();
    must(LocalProcess::get() != nullptr); // before there is a socket without a record: it cleans up
    static auto &made = *new fuzz::FuzzedExporter;
    return made;
}

std::uint64_t some_number(FuzzedDataProvider &data)
{
    switch (data.ConsumeIntegralInRange(0, 3)) {
    case 0:
        return data.ConsumeIntegral<std::uint64_t>();
    case 1:
        return ~data.ConsumeIntegralInRange<std::uint64_t>(0, 2 * fuzz::kMemorySize);
    default:
        return data.ConsumeIntegralInRange<std::uint64_t>(0, fuzz::kMemorySize + 1);
    }
}

Line window_line(FuzzedDataProvider &data)
{
    auto message = fuzz::any<wire::WindowReply>(data);
    if (!is_odd(data, 16))
        message.status = wire::Status::ok;
    if (!is_odd(data, 16)) {
        message.slot = 0;
        message.generation = 1;
    }
    message.offset = data.ConsumeBool() ? some_number(data) : 0;
    message.addr = is_odd(data, 4) ? some_number(data) : 4096;
    message.len = is_odd(data, 2) ? some_number(data) : fuzz::kMemorySize;
    if (!is_odd(data, 16))
        message.permissions = data.ConsumeIntegralInRange<std::uint32_t>(0, 63);
    if (!is_odd(data, 4))
        message.probe_addr = reinterpret_cast<std::uintptr_t>(&exporter().id);
    if (!is_odd(data, 8)) {
        const Node &host = *topology().find("host");
        wire::put_text(message.node, host.name.c_str());
        wire::put_text(message.pci, host.devices.front().function.pci.text().data());
    }
    Line line = fuzz::line_of(data, message);
    const std::vector<int> &fds = fuzz::descriptors(exporter().page_fd.get());
    line.fds = fuzz::some_descriptors(data, fds);
    if (line.fds.empty() && !is_odd(data, 4))
        line.fds.push_back(fds[1]);
    return line;
}

Line staging_line(FuzzedDataProvider &data)
{
    auto message = fuzz::any<wire::Reply>(data);
    if (!is_odd(data, 8))
        message.status = wire::Status::ok;
    return fuzz::line_of(data, message);
}

std::deque<Line> some_lines(FuzzedDataProvider &data)
{
    std::deque<Line> lines;
    const auto add = [&](Line line) {
        if (is_odd(data, 32))
            line = fuzz::odd_line(data);
        lines.push_back(std::move(line));
    };
    add(fuzz::hello_line(data, exporter()));
    add(window_line(data));
    Line window = lines.back();
    add(fuzz::hello_line(data, exporter())); // the connection for copies
    add(!is_odd(data, 8) ? std::move(window) : window_line(data));
    add(staging_line(data));
    while (data.remaining_bytes() > 0 && lines.size() < 16)
        add(fuzz::line_of(data, fuzz::any<wire::CopyReply>(data)));
    return lines;
}

void use_mapped(const Window &window)
{
    for (const std::uint64_t offset : {std::uint64_t{0}, window.len() / 2, window.len() - 1}) {
        auto *const byte = reinterpret_cast<volatile std::uint8_t *>(
            window.addr() + offset + static_cast<std::uint64_t>(window.distance()));
        const std::uint8_t value = *byte;
        if ((window.permissions() & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0)
            *byte = value;
    }
}

void use_cross(const Window &window)
{
    std::array<std::byte, 64> room;
    const std::size_t len = std::min<std::uint64_t>(window.len(), room.size());
    const std::array<CopyPiece, 2> pieces{
        CopyPiece{room.data(), window.addr(), len},
        CopyPiece{room.data(), window.addr() + window.len() - len, len}};
    must(window.copy_across(false, pieces) <= 2 * len);
}

void use_agent(const Window &window)
{
    const auto channel = AgentChannel::open(window);
    if (channel == nullptr)
        return;
    const std::size_t len = std::min<std::uint64_t>(window.len(), 64);
    const CopyPiece piece{nullptr, window.addr(), len};
    for (int i = 0; i < 4; ++i) {
        if (!channel->start(i % 2 != 0, {&piece, 1}))
            return;
        std::size_t num_done = 0;
        auto answer = AgentChannel::Answer::pending;
        while (answer == AgentChannel::Answer::pending) {
            pollfd ready{channel->fd(), POLLIN, 0};
            if (::poll(&ready, 1, 1000) == 0)
                return;
            answer = channel->poll(&num_done);
        }
        if (answer == AgentChannel::Answer::broken)
            return;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size)
{
    if (size < 8)
        return 0;
    FuzzedDataProvider data(bytes, size);
    exporter().page().generations[0].store(is_odd(data, 8) ? 2 : 1);
    exporter().page().death_word.store(is_odd(data, 16) ? FUTEX_OWNER_DIED : 1);
    static constexpr const char *kRoutes[] = {"", "", "mapped", "cross", "agent", "agent"};
    ::setenv("SOFTDOCA_WINDOW", kRoutes[data.ConsumeIntegralInRange<std::size_t>(0, 5)], 1);
    exporter().set_lines(some_lines(data));

    ExportDescriptor descriptor;
    descriptor.exporter = exporter().id;
    descriptor.addr = descriptor.len = 4096;
    descriptor.seal();
    ImportFault fault;
    const auto window =
        Window::import(std::as_bytes(std::span(&descriptor, 1)), fuzz::own_function(), &fault);
    must((window == nullptr) == (fault.code != DOCA_SUCCESS));
    if (window == nullptr)
        return 0;
    must(window->len() != 0 && window->addr() + window->len() > window->addr());
    (void)window->row();
    switch (window->route()) {
    case Route::mapped:
        use_mapped(*window);
        break;
    case Route::cross:
        use_cross(*window);
        break;
    case Route::agent:
        use_agent(*window);
    }
    char text[128];
    window->describe_end(text);
    return 0;
}
