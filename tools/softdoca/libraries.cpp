// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "libraries.hpp"

#include "elf_file.hpp"

#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace softdoca::tool {

namespace {

namespace fs = std::filesystem;

constexpr const char *kVendorDirectory = "/opt/mellanox/doca/lib";

void add_if_there(std::vector<CommonLibrary> &libraries, const fs::path &path)
{
    std::error_code error;
    if (fs::exists(path, error))
        libraries.push_back(common_library(path));
}

[[noreturn]] void become(const std::vector<std::string> &words, int output)
{
    std::vector<char *> args;
    for (const std::string &word : words)
        args.push_back(const_cast<char *>(word.c_str()));
    args.push_back(nullptr);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execv(args[0], args.data());
    _exit(127);
}

} // namespace

std::string CommonLibrary::in_words() const
{
    return path + (file == path ? "" : " -> " + file) +
           (release.empty() ? ", not of SoftDOCA" : ", of SoftDOCA " + release);
}

CommonLibrary common_library(const std::string &path)
{
    std::error_code error;
    const fs::path file = fs::canonical(path, error);
    return {path, error ? path : file.string(), softdoca_release_of(path)};
}

std::vector<CommonLibrary> libraries_of_caller()
{
    std::vector<CommonLibrary> libraries;
    const char *const variable = std::getenv("LD_LIBRARY_PATH");
    std::istringstream list(variable == nullptr ? "" : variable);

    for (std::string directory; std::getline(list, directory, ':');)
        add_if_there(libraries, fs::path(directory.empty() ? "." : directory) / kCommonLibrary);
    return libraries;
}

std::vector<CommonLibrary> libraries_of_system()
{
    std::vector<CommonLibrary> libraries;
    std::error_code error;

    // Lines like "    libdoca_common.so.2 (libc6,x86-64) => /usr/local/lib/libdoca_common.so.2".
    std::istringstream cache(output_of({"/sbin/ldconfig", "-p"}));
    for (std::string line; std::getline(cache, line);) {
        const std::size_t arrow = line.find("=> ");
        if (line.find(kCommonLibrary) != std::string::npos && arrow != std::string::npos)
            add_if_there(libraries, line.substr(arrow + 3));
    }
    for (fs::directory_iterator it(kVendorDirectory, error), end; !error && it != end;
         it.increment(error))
        add_if_there(libraries, it->path() / kCommonLibrary);
    add_if_there(libraries, fs::path(kVendorDirectory) / kCommonLibrary);
    return libraries;
}

std::string output_of(const std::vector<std::string> &words, const char *variable)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return {};
    UniqueFd reader(fds[0]);
    UniqueFd writer(fds[1]);
    const pid_t pid = fork();
    if (pid == 0 && variable != nullptr)
        setenv(variable, "1", 1);
    if (pid == 0)
        become(words, writer.get());
    writer = UniqueFd();
    std::string output;
    char buffer[4096];
    for (ssize_t len; (len = read(reader.get(), buffer, sizeof buffer)) > 0;)
        output.append(buffer, static_cast<std::size_t>(len));
    int status = 0;
    if (pid > 0)
        waitpid(pid, &status, 0);
    return output;
}

} // namespace softdoca::tool
