// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "private_fabric.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace softdoca::tool {

namespace {

namespace fs = std::filesystem;

constexpr const char *kParents[] = {"/dev/shm", "/tmp"};
constexpr const char *kPrefix = "softdoca-pair-";

/// The lock of a directory of ours; closed if another process has it, or it is not ours.
UniqueFd lock_of(const std::string &path)
{
    UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;

    if (!fd.is_open() || fstat(fd.get(), &status) != 0 || status.st_uid != geteuid() ||
        flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
        return {};
    return fd;
}

/// Between mkdtemp() and flock() another run may have taken it for an abandoned one.
bool is_still_there(const std::string &path, const UniqueFd &fd)
{
    struct stat named;
    struct stat opened;

    return fstat(fd.get(), &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
           named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

} // namespace

PrivateFabric::~PrivateFabric()
{
    std::error_code ignored;
    if (!path_.empty())
        fs::remove_all(path_, ignored);
}

bool PrivateFabric::make()
{
    std::error_code ignored;
    for (const std::string &path : abandoned_private_fabrics())
        fs::remove_all(path, ignored);

    for (const char *parent : kParents)
        if (make_below(parent))
            return true;
    std::fprintf(stderr,
                 "softdoca pair: no directory can be made in /dev/shm or /tmp (%s); name one that "
                 "can be written by SOFTDOCA_FABRIC=DIR\n",
                 std::strerror(errno));
    return false;
}

bool PrivateFabric::make_below(const char *parent)
{
    while (true) {
        std::string path = std::string(parent) + '/' + kPrefix + "XXXXXX";
        if (mkdtemp(path.data()) == nullptr)
            return false;
        UniqueFd lock = lock_of(path);
        if (!lock.is_open() || !is_still_there(path, lock))
            continue;
        lock_ = std::move(lock);
        path_ = path;
        return setenv("SOFTDOCA_FABRIC", path_.c_str(), 1) == 0;
    }
}

std::vector<std::string> abandoned_private_fabrics()
{
    std::vector<std::string> found;
    std::error_code error;

    for (const char *parent : kParents)
        for (fs::directory_iterator it(parent, error), end; !error && it != end;
             it.increment(error))
            if (it->path().filename().native().starts_with(kPrefix) &&
                lock_of(it->path()).is_open())
                found.push_back(it->path());
    return found;
}

} // namespace softdoca::tool
