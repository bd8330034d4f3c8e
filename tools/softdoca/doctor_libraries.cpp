// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "doctor.hpp"

#include "elf_file.hpp"
#include "installed.hpp"
#include "libraries.hpp"
#include "nodes.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

namespace softdoca::tool {

namespace {

namespace fs = std::filesystem;

constexpr const char *kChoose =
    "eval \"$(softdoca env dpu)\" (or host) with the bin/softdoca of the "
    "copy that you want";

bool is_like_ours(const CommonLibrary &library)
{
    return library.release == SOFTDOCA_VERSION;
}

/// Where the words of a shell lead.
std::string found_in_path(const std::string &program)
{
    if (program.find('/') != std::string::npos)
        return program;
    const char *const variable = std::getenv("PATH");
    std::istringstream list(variable == nullptr ? "" : variable);
    for (std::string directory; std::getline(list, directory, ':');) {
        const fs::path path = fs::path(directory.empty() ? "." : directory) / program;
        if (access(path.c_str(), X_OK) == 0 && !fs::is_directory(path))
            return path;
    }
    return program;
}

/// A loader from the system's own folders; another one that a file names is not run for it.
bool is_system_loader(const std::string &path)
{
    const bool is_system = path.starts_with("/lib") || path.starts_with("/usr/lib");
    return is_system && path.find("/../") == std::string::npos;
}

void examine_loaded_line(Diagnosis &diagnosis, const std::string &name, const std::string &target)
{
    if (target.starts_with("not found")) {
        diagnosis.failure(name + " is not found",
                          name.starts_with("libdoca_")
                              ? kChoose + std::string(", or start it by "
                                                      "softdoca run or pair")
                              : "install the package that has it");
        return;
    }
    if (name != kCommonLibrary)
        return;
    const CommonLibrary library = common_library(target.substr(0, target.find(" (0x")));
    if (is_like_ours(library))
        diagnosis.good("it loads " + library.in_words());
    else if (library.release.empty())
        diagnosis.failure("it loads " + library.in_words() + ": that one needs a BlueField",
                          kChoose);
    else
        diagnosis.warning("it loads " + library.in_words() +
                              ", this is " SOFTDOCA_VERSION "; both sides must load the same",
                          kChoose);
}

/// The loader's list of libraries. glibc's names those that are missing only if it is asked by the
/// environment; another one might not know the variable, and run the program.
std::string trace_of(const std::string &loader, const std::string &program)
{
    if (fs::path(loader).filename().native().starts_with("ld-linux"))
        return output_of({loader, program}, "LD_TRACE_LOADED_OBJECTS");
    return output_of({loader, "--list", program});
}

/// Lines like "\tlibdoca_common.so.2 => /path/libdoca_common.so.2 (0x00007f...)".
void examine_loaded(Diagnosis &diagnosis, const ElfFacts &facts, const std::string &program)
{
    if (!is_system_loader(facts.interpreter)) {
        diagnosis.note("its loader is " + facts.interpreter + ", which is not run from here");
        return;
    }
    std::istringstream lines(trace_of(facts.interpreter, fs::absolute(program)));
    bool has_doca = false;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find_first_not_of(" \t");
        const std::size_t arrow = line.find(" => ");
        if (begin == std::string::npos || arrow == std::string::npos)
            continue;
        const std::string name = line.substr(begin, arrow - begin);
        has_doca = has_doca || name == kCommonLibrary;
        examine_loaded_line(diagnosis, name, line.substr(arrow + 4));
    }
    if (!has_doca)
        diagnosis.note("it does not load " + std::string(kCommonLibrary) +
                       " at its start (it may do so later, as plug-ins and Python do)");
}

void examine_role(Diagnosis &diagnosis, const std::optional<Side> &role)
{
    const char *const chosen = std::getenv("SOFTDOCA_ROLE");
    const bool is_chosen = chosen != nullptr && *chosen != '\0';

    if (!role)
        diagnosis.note("it does not say for which side it was compiled (no DOCA program in C or "
                       "C++?); its role is that of SOFTDOCA_ROLE, else of a library of its own, "
                       "else of the folder lib/dpu or lib/host, else host");
    else
        diagnosis.good(std::string("it was compiled for the ") + to_string(*role));
    const Node *const node = is_chosen ? node_named(chosen) : nullptr;
    if (role && node != nullptr && node->side != *role)
        diagnosis.warning(std::string("SOFTDOCA_ROLE=") + chosen + " makes it run as the " +
                              to_string(node->side) + " all the same",
                          "unset SOFTDOCA_ROLE, or compile it in the shell of softdoca env");
}

void examine_rights(Diagnosis &diagnosis, const std::string &program)
{
    struct stat status;
    const bool is_privileged =
        (stat(program.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0) ||
        getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;

    if (is_privileged)
        diagnosis.warning("it has rights of its own (set-user-id or file capabilities), so no peer "
                          "may read its memory, and it ignores LD_LIBRARY_PATH",
                          "setcap -r, chmod ug-s; DOCA programs need no rights here");
}

} // namespace

void examine_libraries(Diagnosis &diagnosis)
{
    const std::vector<CommonLibrary> from_caller = libraries_of_caller();
    const std::vector<CommonLibrary> from_system = libraries_of_system();
    bool is_first = true;

    for (const auto *libraries : {&from_caller, &from_system})
        for (const CommonLibrary &library : *libraries) {
            const std::string text =
                (libraries == &from_caller ? "LD_LIBRARY_PATH has " : "the system has ") +
                library.in_words();
            if (is_like_ours(library) || !is_first)
                diagnosis.note(text);
            else
                diagnosis.warning(text + "; programs without a path of their own load it", kChoose);
            is_first = false;
        }
    if (is_first)
        diagnosis.note(std::string(kCommonLibrary) +
                       " is neither in LD_LIBRARY_PATH nor known to the "
                       "system: programs need a path of their own (rpath), softdoca run or pair, "
                       "or softdoca env");
    if (const auto prefix = installed_prefix())
        diagnosis.note("this copy is installed in " + prefix->string());
}

void examine_binary(Diagnosis &diagnosis, const std::string &program)
{
    const std::string path = found_in_path(program);
    const std::optional<ElfFacts> facts = read_elf(path);
    const std::optional<ElfFacts> own = read_elf("/proc/self/exe");

    if (access(path.c_str(), R_OK) != 0)
        diagnosis.failure("it is not there, or cannot be read",
                          "give the path of a program; chmod +r if it has no read permission");
    else if (!facts)
        diagnosis.note("it is no ELF program (a script?); name the program that it starts");
    else if (!own || facts->machine != own->machine || facts->is_64_bit != own->is_64_bit)
        diagnosis.failure("it is made for another processor", "compile it on this machine");
    else {
        examine_role(diagnosis, facts->role);
        examine_rights(diagnosis, path);
        if (facts->interpreter.empty())
            diagnosis.note("it is a static program (or a library): it brings the libraries that it "
                           "was linked with");
        else
            examine_loaded(diagnosis, *facts, path);
    }
}

} // namespace softdoca::tool
