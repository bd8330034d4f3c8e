// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What tools show: records and names in the fabric directory, and lists that agents send. Whatever
// a process writes there must not reach a terminal as anything but plain text.

#include "fuzzed_exporter.hpp"

#include "fabric/inspect.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <signal.h>
#include <sys/prctl.h>

using namespace softdoca;
using fuzz::must;

namespace {

/// A process that holds the lock of a record, which is what makes it one of a live process.
class LockedRecord {
public:
    explicit LockedRecord(const std::string &path)
        : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))
    {
        int ready[2];
        must(fd_ >= 0 && ::pipe2(ready, O_CLOEXEC) == 0);
        if (::fork() == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            struct flock lock {};
            lock.l_type = F_WRLCK;
            must(::fcntl(fd_, F_SETLK, &lock) == 0 && ::write(ready[1], "", 1) == 1);
            for (;;)
                ::pause();
        }
        char byte;
        must(::read(ready[0], &byte, 1) == 1);
        ::close(ready[0]);
        ::close(ready[1]);
    }
    void write(const std::string &text) const
    {
        must(::ftruncate(fd_, 0) == 0 &&
             ::pwrite(fd_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    }

private:
    int fd_;
};

struct World {
    fuzz::FuzzedExporter exporter;
    const LockedRecord record{fuzz::FuzzedExporter::processes_directory() + "/" +
                              exporter.id.text()};
};

World &world()
{
    (void)fuzz::own_fabric();
    static auto &made = *new World;
    return made;
}

std::string some_record(FuzzedDataProvider &data)
{
    if (data.ConsumeBool())
        return data.ConsumeRandomLengthString(2000);
    std::string text;
    for (const char *const name : {"release ", "pid ", "side ", "node ", "program "})
        text += name + data.ConsumeRandomLengthString(100) + "\n";
    return text;
}

fuzz::Line list_line(FuzzedDataProvider &data)
{
    auto message = wire::make<wire::ListReply>();
    message.num_rows = data.ConsumeIntegralInRange<std::uint32_t>(0, 3);
    message.num_total = data.ConsumeIntegralInRange<std::uint32_t>(0, 8);
    if (fuzz::is_odd(data, 8))
        message.num_rows = data.ConsumeIntegral<std::uint32_t>();
    if (fuzz::is_odd(data, 8))
        message.num_total = data.ConsumeIntegral<std::uint32_t>();
    for (std::size_t i = 0; i < 3; ++i)
        data.ConsumeData(&message.rows[i], sizeof message.rows[i]);
    return fuzz::line_of(data, message);
}

std::deque<fuzz::Line> some_lines(FuzzedDataProvider &data)
{
    std::deque<fuzz::Line> lines;
    while (data.remaining_bytes() > 0 && lines.size() < 8)
        lines.push_back(lines.empty()            ? fuzz::hello_line(data, world().exporter)
                        : fuzz::is_odd(data, 16) ? fuzz::odd_line(data)
                                                 : list_line(data));
    return lines;
}

void must_be_plain(std::string_view text)
{
    must(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
}

void check(const ProcessRow &row)
{
    for (const std::string *const text : {&row.id, &row.node, &row.program, &row.release})
        must_be_plain(*text);
    for (const ExportRow &each : row.exports)
        must_be_plain(each.pci);
    for (const ImportRow &each : row.imports) {
        must_be_plain(each.pci);
        must_be_plain(each.reason);
        must_be_plain(to_string(each.route));
    }
    must(row.is_answering || (row.exports.empty() && row.imports.empty()));
}

/// A file of that name, as old as the data says.
class OddFile {
public:
    explicit OddFile(FuzzedDataProvider &data)
    {
        std::string name = data.ConsumeRandomLengthString(64);
        std::erase_if(name, [](char c) { return c == '/' || c == '\0'; });
        if (name.empty() || name == "." || name == "..")
            return;
        path_ = fuzz::FuzzedExporter::processes_directory() + "/" + name;
        const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0) {
            path_.clear();
            return;
        }
        const timespec times[2]{};
        if (data.ConsumeBool())
            must(::futimens(fd, times) == 0);
        ::close(fd);
    }
    ~OddFile()
    {
        if (!path_.empty())
            ::unlink(path_.c_str());
    }

private:
    std::string path_;
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
    (void)world();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size)
{
    FuzzedDataProvider data(bytes, size);
    const OddFile odd(data);
    world().record.write(some_record(data));
    world().exporter.set_lines(some_lines(data));

    for (const ProcessRow &row : inspect_fabric(fuzz::own_fabric(), 50))
        check(row);
    for (const std::string &name : fabric_leftovers(fuzz::own_fabric()))
        must_be_plain(name);
    return 0;
}
