// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "subcommands.hpp"
#include "terminal.hpp"

#include "fabric/inspect.hpp"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace softdoca::tool {

namespace {

constexpr int kAnswerMs = 1000;

bool allows_writing(std::uint32_t permissions)
{
    return (permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0;
}

std::string size_in_words(std::uint64_t bytes)
{
    const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + ' ' + units[unit];
}

/// What exports and imports have in common.
template <typename Row>
void print_memory(const char *kind, const Row &row, const char *preposition)
{
    std::printf("        %s  0x%" PRIx64 "  %s  %s  %s %s", kind, row.addr,
                size_in_words(row.len).c_str(),
                allows_writing(row.permissions) ? "read-write" : "read-only", preposition,
                printable(row.pci).c_str());
}

void print_import(const ImportRow &row)
{
    print_memory("import", row, "through");
    std::printf("  of process %d  route %s", static_cast<int>(row.exporter_pid),
                to_string(row.route));
    if (!row.reason.empty())
        std::printf(" (%s)", printable(row.reason).c_str());
    std::puts(row.is_alive ? "" : "  ENDED: the exporter has gone or has stopped it");
}

std::string quoted(const std::string &service)
{
    return service.empty() ? "a server that has stopped" : '"' + printable(service) + '"';
}

void print_server(const ServerRow &row, bool are_clients_known)
{
    std::printf("        server  %s  on %s", quoted(row.name).c_str(),
                printable(row.function).c_str());
    if (are_clients_known)
        std::printf("  %" PRIu32 " of %" PRIu32 " clients", row.num_clients, row.max_clients);
    std::puts("");
}

void print_connection(const ConnectionRow &row)
{
    std::printf("        connection  %s  with the %s, process %d  %" PRIu32 " send%s",
                quoted(row.service).c_str(), row.is_server ? "client" : "server",
                static_cast<int>(row.peer_pid), row.num_waiting_sends,
                row.num_waiting_sends == 1 ? " waits" : "s wait");
    if (!row.is_alive)
        std::printf("  ENDED: that process has gone");
    else if (!row.is_accepted)
        std::printf("  NOT ACCEPTED yet: the server has to progress its engine");
    std::puts("");
}

void print_consumer(const ConsumerRow &row)
{
    std::printf("        consumer  %" PRIu32 " of %s  for process %d  %" PRIu32 " of %" PRIu32
                " receives posted\n",
                row.id, quoted(row.service).c_str(), static_cast<int>(row.peer_pid), row.num_posted,
                row.num_slots);
}

void print_process(const ProcessRow &row)
{
    std::printf(
        "%7d %s (%s)  %s  SoftDOCA %s%s\n", static_cast<int>(row.pid), printable(row.node).c_str(),
        to_string(row.side), printable(row.program).c_str(), printable(row.release).c_str(),
        row.is_answering ? ""
                         : "  DOES NOT ANSWER: it is stopped, very busy, or of another release");
    for (const ExportRow &exported : row.exports) {
        print_memory("export", exported, "through");
        std::printf("  %" PRIu32 " import%s\n", exported.num_imports,
                    exported.num_imports == 1 ? "" : "s");
    }
    for (const ImportRow &imported : row.imports)
        print_import(imported);
    for (const ServerRow &server : row.servers)
        print_server(server, row.is_answering);
    for (const ConnectionRow &connection : row.connections)
        print_connection(connection);
    for (const ConsumerRow &consumer : row.consumers)
        print_consumer(consumer);
}

void print_table(const std::string &directory, const std::vector<ProcessRow> &rows)
{
    std::printf("fabric %s\n", printable(directory).c_str());
    if (rows.empty())
        std::puts(
            "No process is in it. Those that export or import memory, or start a Comch client "
            "or server, take part.");
    for (const ProcessRow &row : rows)
        print_process(row);
}

template <typename Row>
nlohmann::json memory_as_json(const Row &row)
{
    return {{"addr", row.addr},
            {"len", row.len},
            {"access", allows_writing(row.permissions) ? "read-write" : "read-only"},
            {"permissions", row.permissions},
            {"pci", row.pci}};
}

/// "servers", "connections" and "consumers".
nlohmann::json comch_as_json(const ProcessRow &row)
{
    nlohmann::json servers = nlohmann::json::array();
    for (const ServerRow &server : row.servers) {
        servers.push_back({{"name", server.name},
                           {"function", server.function},
                           {"num_clients", nullptr},
                           {"max_clients", nullptr}});
        if (row.is_answering)
            servers.back().update(
                {{"num_clients", server.num_clients}, {"max_clients", server.max_clients}});
    }
    nlohmann::json connections = nlohmann::json::array();
    for (const ConnectionRow &connection : row.connections)
        connections.push_back({{"service", connection.service},
                               {"role", connection.is_server ? "server" : "client"},
                               {"peer_pid", connection.peer_pid},
                               {"is_accepted", connection.is_accepted},
                               {"is_alive", connection.is_alive},
                               {"num_waiting_sends", connection.num_waiting_sends}});
    nlohmann::json consumers = nlohmann::json::array();
    for (const ConsumerRow &consumer : row.consumers)
        consumers.push_back({{"id", consumer.id},
                             {"service", consumer.service},
                             {"peer_pid", consumer.peer_pid},
                             {"num_posted", consumer.num_posted},
                             {"num_slots", consumer.num_slots}});
    return {{"servers", std::move(servers)},
            {"connections", std::move(connections)},
            {"consumers", std::move(consumers)}};
}

nlohmann::json process_as_json(const ProcessRow &row)
{
    nlohmann::json exports = nlohmann::json::array();
    for (const ExportRow &exported : row.exports) {
        exports.push_back(memory_as_json(exported));
        exports.back()["num_imports"] = exported.num_imports;
    }
    nlohmann::json imports = nlohmann::json::array();
    for (const ImportRow &imported : row.imports) {
        imports.push_back(memory_as_json(imported));
        imports.back().update({{"route", to_string(imported.route)},
                               {"reason", imported.reason},
                               {"exporter_pid", imported.exporter_pid},
                               {"is_alive", imported.is_alive}});
    }
    nlohmann::json process = {{"id", row.id},
                              {"pid", row.pid},
                              {"side", row.side == Side::dpu ? "dpu" : "host"},
                              {"node", row.node},
                              {"program", row.program},
                              {"release", row.release},
                              {"is_answering", row.is_answering},
                              {"exports", std::move(exports)},
                              {"imports", std::move(imports)}};
    process.update(comch_as_json(row));
    return process;
}

void print_json(const std::string &directory, const std::vector<ProcessRow> &rows)
{
    nlohmann::json processes = nlohmann::json::array();
    for (const ProcessRow &row : rows)
        processes.push_back(process_as_json(row));
    const nlohmann::json document = {{"fabric", directory}, {"processes", std::move(processes)}};
    // Names may hold any bytes; those that are no UTF-8 are replaced.
    std::puts(document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
}

int list(bool is_json)
{
    const std::string directory = fabric_directory();
    if (directory.empty())
        return EXIT_FAILURE;
    const std::vector<ProcessRow> rows = inspect_fabric(directory, kAnswerMs);
    if (is_json)
        print_json(directory, rows);
    else
        print_table(directory, rows);
    return EXIT_SUCCESS;
}

} // namespace

void add_ls(CLI::App &program, int &exit_status)
{
    CLI::App *ls = program.add_subcommand(
        "ls", "List who is in the fabric, their memory and Comch connections");

    ls->footer("The fabric is that of SOFTDOCA_FABRIC, or this user's default one.");
    auto is_json = std::make_shared<bool>(false);
    ls->add_flag("--json", *is_json, "for programs");
    ls->callback([is_json, &exit_status] { exit_status = list(*is_json); });
}

} // namespace softdoca::tool
