// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/inspect.hpp"

#include "fabric/peer_link.hpp"
#include "fabric/registry.hpp"
#include "fabric/service.hpp"
#include "fabric/wire.hpp"

#include <algorithm>
#include <map>
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

/// What an agent says of Comch; it is put together when all have answered.
using ComchRows = std::vector<wire::ListRow>;

void add_import(ProcessRow &process, const wire::ListRow &row)
{
    const Route route = row.route <= static_cast<std::uint8_t>(Route::agent)
                            ? static_cast<Route>(row.route)
                            : Route::agent;
    process.imports.push_back({row.addr, row.len, row.permissions, wire::get_text(row.pci).data(),
                               route, wire::get_text(row.reason).data(), row.exporter_pid,
                               row.is_alive != 0});
}

void add_row(ProcessRow &process, ComchRows &comch, const wire::ListRow &row)
{
    switch (row.kind) {
    case wire::RowKind::exported:
        process.exports.push_back(
            {row.addr, row.len, row.permissions, wire::get_text(row.pci).data(), row.num_imports});
        break;
    case wire::RowKind::imported:
        add_import(process, row);
        break;
    default:
        comch.push_back(row);
    }
}

bool ask_agent(ProcessRow &process, ComchRows &comch, const std::string &directory,
               const ProcessId &id, Clock::time_point deadline)
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
            add_row(process, comch, list->rows[i]);
        num_rows += list->num_rows;
        if (list->num_rows == 0 || list->num_rows >= list->num_total || num_rows > kMaxRows)
            return true;
    }
}

ServerRow server_of(const ServiceRecord &service, const ComchRows &rows)
{
    ServerRow server{service.name, function_of_scope(service.scope)};
    for (const wire::ListRow &row : rows)
        if (row.kind == wire::RowKind::server && row.comch.service == service.key) {
            server.num_clients = row.comch.num;
            server.max_clients = row.comch.max_num;
        }
    return server;
}

/// comch: the rows of each of the processes.
void add_comch(std::vector<ProcessRow> &processes, const std::vector<ComchRows> &comch,
               const std::vector<ServiceRecord> &services)
{
    const auto name_of = [&](const RandomId &key) {
        const auto found = std::find_if(services.begin(), services.end(),
                                        [&](const auto &each) { return each.key == key; });
        return found == services.end() ? std::string() : found->name;
    };
    std::map<std::string, std::size_t> places; // by id
    for (std::size_t i = 0; i < processes.size(); ++i)
        places[processes[i].id] = i;
    for (const ServiceRecord &service : services)
        if (const auto at = places.find(service.process.text()); at != places.end())
            processes[at->second].servers.push_back(server_of(service, comch[at->second]));

    for (std::size_t i = 0; i < processes.size(); ++i)
        for (const wire::ListRow &row : comch[i]) {
            const wire::ComchRow &what = row.comch;
            const auto owner = places.find(what.peer.text());
            if (row.kind == wire::RowKind::connection)
                processes[i].connections.push_back({name_of(what.service), what.is_server != 0,
                                                    what.peer_pid, what.is_accepted != 0,
                                                    row.is_alive != 0, what.num});
            else if (row.kind == wire::RowKind::consumer && owner != places.end())
                processes[owner->second].consumers.push_back(
                    {what.id, name_of(what.service), processes[i].pid, what.num, what.max_num});
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
    std::vector<ComchRows> comch;
    for (const ProcessRecord &record : read_fabric(directory, {}).processes) {
        ProcessRow row;
        row.id = record.id.text();
        row.pid = record.pid;
        row.side = record.side;
        row.node = record.node;
        row.program = record.program;
        row.release = record.release;
        row.is_answering = ask_agent(row, comch.emplace_back(), directory + "/p", record.id,
                                     Clock::now() + std::chrono::milliseconds(timeout_ms));
        if (!row.is_answering) { // it may have fallen silent in the middle
            row.exports.clear();
            row.imports.clear();
            comch.back().clear();
        }
        rows.push_back(std::move(row));
    }
    add_comch(rows, comch, list_services(directory));
    return rows;
}

std::vector<std::string> fabric_leftovers(const std::string &directory)
{
    return read_fabric(directory, {}).leftovers;
}

} // namespace softdoca
