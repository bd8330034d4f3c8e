// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/inspect.hpp"

#include "fabric/peer_link.hpp"
#include "fabric/registry.hpp"
#include "fabric/wire.hpp"

#include <memory>

namespace softdoca {

namespace {

template <typename Answer, typename Request>
std::unique_ptr<Answer> ask(const UnixSocket &socket, const Request &request,
                            Clock::time_point deadline)
{
    auto buffer = std::make_unique<std::byte[]>(sizeof(Answer));
    if (!socket.send(wire::bytes_of(request)) || !socket.wait_readable(deadline))
        return nullptr;
    const Received received = socket.receive({buffer.get(), sizeof(Answer)});
    if (received.outcome != Received::Outcome::message || received.size > sizeof(Answer))
        return nullptr;
    const auto answer = wire::take<Answer>({buffer.get(), received.size});
    return answer ? std::make_unique<Answer>(*answer) : nullptr;
}

/// A peer may send any number here; what it has, it has.
constexpr std::size_t kMaxRows = 100'000;

void add_row(ProcessRow &process, const wire::ListRow &row)
{
    if (row.route == wire::kExportRow) {
        process.exports.push_back(
            {row.addr, row.len, row.permissions, wire::get_text(row.pci).data(), row.num_imports});
        return;
    }
    const Route route = row.route <= static_cast<std::uint8_t>(Route::agent)
                            ? static_cast<Route>(row.route)
                            : Route::agent;
    process.imports.push_back({row.addr, row.len, row.permissions, wire::get_text(row.pci).data(),
                               route, wire::get_text(row.reason).data(), row.exporter_pid,
                               row.is_alive != 0});
}

bool ask_agent(ProcessRow &process, const std::string &directory, const ProcessId &id,
               Clock::time_point deadline)
{
    LinkFault fault = LinkFault::none;
    const UnixSocket socket = connect_to_agent(directory, id, deadline, &fault);
    if (!socket.is_open())
        return false;
    const auto hello = wire::make<wire::Hello>(); // of nobody: a tool
    const auto welcome = ask<wire::HelloReply>(socket, hello, deadline);
    if (welcome == nullptr || welcome->status != wire::Status::ok)
        return false;
    std::size_t num_rows = 0;
    for (;;) {
        auto request = wire::make<wire::List>();
        request.first_row = static_cast<std::uint32_t>(num_rows);
        const auto list = ask<wire::ListReply>(socket, request, deadline);
        if (list == nullptr || list->num_rows > wire::kRowsPerList)
            return false;
        for (std::uint32_t i = 0; i < list->num_rows; ++i)
            add_row(process, list->rows[i]);
        num_rows += list->num_rows;
        if (list->num_rows == 0 || list->num_rows >= list->num_total || num_rows > kMaxRows)
            return true;
    }
}

} // namespace

const char *to_string(Route route) noexcept
{
    switch (route) {
    case Route::mapped:
        return "mapped";
    case Route::cross:
        return "cross";
    case Route::agent:
        return "agent";
    }
    return "?";
}

std::string fabric_directory()
{
    return wanted_fabric_directory();
}

std::vector<ProcessRow> inspect_fabric(const std::string &directory, int timeout_ms)
{
    std::vector<ProcessRow> rows;
    for (const ProcessRecord &record : read_fabric(directory, {}).processes) {
        ProcessRow row;
        row.id = record.id.text();
        row.pid = record.pid;
        row.side = record.side;
        row.node = record.node;
        row.program = record.program;
        row.release = record.release;
        row.is_answering = ask_agent(row, directory + "/p", record.id,
                                     Clock::now() + std::chrono::milliseconds(timeout_ms));
        if (!row.is_answering) { // it may have fallen silent in the middle
            row.exports.clear();
            row.imports.clear();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<std::string> fabric_leftovers(const std::string &directory)
{
    return read_fabric(directory, {}).leftovers;
}

} // namespace softdoca
