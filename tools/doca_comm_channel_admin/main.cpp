// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "softdoca/terminal.hpp"

#include "fabric/inspect.hpp"
#include "fabric/role.hpp"

#include <doca_argp.h>
#include <doca_version.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace softdoca;

constexpr int kAnswerMs = 1000;

/// Columns as wide as their longest cell. The first row is the heading.
class Table {
public:
    explicit Table(std::vector<std::string> heading) { add(std::move(heading)); }

    void add(std::vector<std::string> row)
    {
        widths_.resize(row.size());
        for (std::size_t i = 0; i < row.size(); ++i)
            widths_[i] = std::max(widths_[i], row[i].size());
        rows_.push_back(std::move(row));
    }

    void print(const char *title) const
    {
        std::printf("%s\n", title);
        for (const auto &row : rows_) {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i)
                line += "  " + row[i] + std::string(widths_[i] - row[i].size(), ' ');
            line.erase(line.find_last_not_of(' ') + 1);
            std::printf("%s\n", line.c_str());
        }
    }

private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> widths_;
};

std::string name_in_table(std::string_view service)
{
    return service.empty() ? "(stopped)" : tool::printable(service);
}

/// A process that does not answer has clients, but it is not known how many.
std::string load_of(const ServerRow &server, bool is_known)
{
    return is_known ? std::to_string(server.num_clients) + '/' + std::to_string(server.max_clients)
                    : "unknown";
}

const char *state_of(const ConnectionRow &connection)
{
    if (!connection.is_alive)
        return "lost";
    return connection.is_accepted ? "connected" : "waiting";
}

void print_tables(const std::vector<ProcessRow> &processes)
{
    Table servers({"Server name", "PID", "Connections (active/max)"});
    Table connections({"Server name", "Server PID", "Client PID", "State"});

    for (const ProcessRow &process : processes) {
        const std::string pid = std::to_string(process.pid);
        for (const ServerRow &server : process.servers)
            servers.add({name_in_table(server.name), pid, load_of(server, process.is_answering)});
        for (const ConnectionRow &connection : process.connections) {
            const std::string peer = std::to_string(connection.peer_pid);
            connections.add({name_in_table(connection.service), connection.is_server ? pid : peer,
                             connection.is_server ? peer : pid, state_of(connection)});
        }
    }
    servers.print("SERVERS");
    std::printf("\n");
    connections.print("CONNECTIONS");
}

/// Two numbers: the API level that programs see, and that of this software.
doca_error_t print_version(void *, void *)
{
    std::printf("DOCA version %s\nSoftDOCA version %s\n", doca_version_runtime(), SOFTDOCA_VERSION);
    (void)doca_argp_destroy();
    std::exit(EXIT_SUCCESS);
}

doca_error_t parse(int argc, char **argv)
{
    doca_error_t result = doca_argp_init("doca_comm_channel_admin", nullptr);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_argp_register_version_callback(print_version);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    (void)doca_argp_destroy();
    return result;
}

} // namespace

int main(int argc, char **argv)
{
    if (parse(argc, argv) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    const Node *const node = local_node();
    const std::string directory = fabric_directory();
    if (node == nullptr || directory.empty()) {
        std::fprintf(stderr, "doca_comm_channel_admin: this process belongs to no node; look at it "
                             "with 'softdoca doctor'\n");
        return EXIT_FAILURE;
    }
    // As on a card, each side sees its own machine.
    std::vector<ProcessRow> processes = inspect_fabric(directory, kAnswerMs);
    std::erase_if(processes, [&](const ProcessRow &each) { return each.node != node->name; });
    print_tables(processes);
    return EXIT_SUCCESS;
}
