// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/raw_peer.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/// An exporter that is attacked by importers of our own making, and one that must not notice.
namespace softdoca::test {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::uint32_t kReadOnly =
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_ONLY;
inline constexpr std::uint32_t kReadWrite =
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE;

/// Nanoseconds that the other threads of this process have run.
inline std::uint64_t run_time_of_others()
{
    std::uint64_t sum = 0;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task")) {
        std::uint64_t run_time = 0;
        if (entry.path().filename() != std::to_string(::gettid()))
            std::ifstream(entry.path() / "schedstat") >> run_time;
        sum += run_time;
    }
    return sum;
}

/// The process under attack: exports the middle one of three pages and says how it is.
class Victim : public Process {
public:
    Victim(Via memory, std::uint32_t permissions)
        : Process(other_role(), [=](Line &to_stage) { play(memory, permissions, to_stage); })
    {
    }

    std::string ask(const std::string &question) const
    {
        line.send(question);
        return line.receive();
    }

private:
    static void play(Via memory, std::uint32_t permissions, Line &to_stage)
    {
        const Device device(first_device().c_str());
        const std::size_t begin = memory == Via::mapped ? 0 : kPage; // a part is not mapped
        const Region region(memory, begin + kPage + begin);
        region.fill(1);
        const Mmap mmap;
        must(doca_mmap_set_memrange(mmap, region.at(begin), kPage));
        must(doca_mmap_set_permissions(mmap, permissions));
        must(doca_mmap_add_dev(mmap, device));
        must(doca_mmap_start(mmap));
        const void *descriptor = nullptr;
        std::size_t len = 0;
        must(doca_mmap_export_pci(mmap, device, &descriptor, &len));
        to_stage.send({static_cast<const char *>(descriptor), len});
        std::string question;
        while (to_stage.wait(&question))
            to_stage.send(answer(question, mmap, region));
    }

    static std::string answer(const std::string &question, doca_mmap *mmap, const Region &region)
    {
        const std::vector<std::byte> before = pattern(region.size(), 1);
        const auto is_same = [&](std::size_t offset, std::size_t len) {
            return first_difference(region.at(offset), before.data() + offset, len) == len;
        };
        if (question == "census") {
            const Census now = Census::now();
            return std::to_string(now.num_fds) + " " + std::to_string(now.num_threads);
        }
        if (question == "is the rest the same")
            return region.size() == kPage || (is_same(0, kPage) && is_same(2 * kPage, kPage))
                       ? "yes"
                       : "no";
        if (question == "is all the same")
            return is_same(0, region.size()) ? "yes" : "no";
        if (question == "rest") { // is the agent idle?
            const std::uint64_t start = run_time_of_others();
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            return run_time_of_others() - start < 20'000'000 ? "idle" : "busy";
        }
        if (question == "stop") {
            const auto start = std::chrono::steady_clock::now();
            const doca_error_t code = doca_mmap_stop(mmap);
            const auto time = std::chrono::steady_clock::now() - start;
            return code != DOCA_SUCCESS             ? doca_error_get_name(code)
                   : time < std::chrono::seconds(2) ? "stopped"
                                                    : "stopped late";
        }
        if (question == "poor") { // from now on it has few descriptors
            const rlimit few{128, 128};
            return ::setrlimit(RLIMIT_NOFILE, &few) == 0 ? "yes" : "no";
        }
        if (question == "can you open files") {
            std::deque<raw::Fd> files;
            for (int i = 0; i < 40; ++i)
                files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
            return files.back().is_open() ? "yes" : "no";
        }
        return "what?";
    }
};

/// A victim, and an importer that must not notice any attack.
class Scene {
public:
    explicit Scene(Via memory = Via::cross, std::uint32_t permissions = kReadWrite)
        : victim(memory, permissions), bytes_(victim.line.receive()),
          descriptor(raw::Descriptor::parse(bytes_)), importer_(1, kPage),
          import_(importer_.import(bytes_))
    {
        expect_served();
        census_ = victim.ask("census");
    }

    void expect_served() { EXPECT_EQ(importer_.read(import_, 0, kPage), DOCA_SUCCESS); }
    /// All connections but the importer's have ended, and left nothing.
    void expect_unharmed()
    {
        expect_served();
        EXPECT_EQ(import_code(importer_.device, bytes_), DOCA_SUCCESS); // a new one
        EXPECT_TRUE(comes_true([&] { return victim.ask("census") == census_; }))
            << victim.ask("census") << " descriptors and threads, before " << census_;
        EXPECT_EQ(victim.ask("is the rest the same"), "yes");
        EXPECT_EQ(victim.ask("rest"), "idle");
    }
    bool can_copy() { return importer_.read(import_, 0, kPage) == DOCA_SUCCESS; }

    const Victim victim;

private:
    const std::string bytes_;

public:
    const raw::Descriptor descriptor;

private:
    Importer importer_;
    Import &import_;
    std::string census_;
};

/// Content of that size, so that the message has the right one for its type.
inline raw::Bytes zeros(std::size_t message_size)
{
    return raw::Bytes().text("", message_size - raw::kHeaderSize);
}

} // namespace softdoca::test
