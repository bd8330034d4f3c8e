// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "doctor.hpp"

#include "subcommands.hpp"
#include "terminal.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace softdoca::tool {

Diagnosis::Diagnosis() : is_coloured_(wants_colour(STDOUT_FILENO)) {}

void Diagnosis::subject(const std::string &title)
{
    std::printf("%s\n", coloured(title, "1", is_coloured_).c_str());
}

void Diagnosis::good(const std::string &text)
{
    print("  ok  ", "32", text);
}

void Diagnosis::note(const std::string &text)
{
    print(" note ", "36", text);
}

void Diagnosis::warning(const std::string &text, const std::string &remedy)
{
    ++num_warnings_;
    print(" warn ", "33", text);
    std::printf("         remedy: %s\n", printable(remedy).c_str());
}

void Diagnosis::failure(const std::string &text, const std::string &remedy)
{
    ++num_failures_;
    print(" FAIL ", "31", text);
    std::printf("         remedy: %s\n", printable(remedy).c_str());
}

void Diagnosis::print(const char *mark, const char *colour, const std::string &text)
{
    std::printf("%s %s\n", coloured(mark, colour, is_coloured_).c_str(), printable(text).c_str());
}

namespace {

int examine(const std::string &binary)
{
    Diagnosis diagnosis;

    diagnosis.subject("Machine");
    examine_machine(diagnosis);
    diagnosis.subject("Memory of the other side");
    examine_reach(diagnosis);
    diagnosis.subject("Fabric");
    examine_fabric(diagnosis);
    diagnosis.subject("Libraries");
    examine_libraries(diagnosis);
    if (!binary.empty()) {
        diagnosis.subject("Program " + printable(binary));
        examine_binary(diagnosis, binary);
    }
    diagnosis.subject("Environment");
    examine_settings(diagnosis);
    diagnosis.subject("Devices, as each node sees them (any other address is not found)");
    list_devices(diagnosis);

    std::printf("%d that will fail, %d warnings\n", diagnosis.num_failures(),
                diagnosis.num_warnings());
    return diagnosis.num_failures() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

void add_doctor(CLI::App &program, int &exit_status)
{
    CLI::App *doctor =
        program.add_subcommand("doctor", "Look for what may hinder DOCA programs here");

    doctor->footer("The exit status is 1 if something was found that will fail.");
    auto binary = std::make_shared<std::string>();
    doctor->add_option("program", *binary,
                       "a program to look at: its side, and the libraries it loads. Its dynamic "
                       "loader is run to list them; the program itself is not");
    doctor->callback([binary, &exit_status] { exit_status = examine(*binary); });
}

} // namespace softdoca::tool
