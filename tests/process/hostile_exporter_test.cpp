// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Exporters that answer what they like. Whatever that is, it costs the importer nothing but this
// import or copy.

#include "support/raw_exporter.hpp"
#include "support/raw_peer.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = raw::Exporter::kSize;

/// The name of a lie, and what it does to the truth.
struct Lie {
    const char *name;
    std::function<void(raw::Exporter &exporter, raw::Script &script)> tell;
};

/// A process that exports by the raw protocol, each time it is asked with the next lie.
class Liar : public Process {
public:
    explicit Liar(const std::vector<Lie> &lies)
        : Process(other_role(), [&lies](Line &to_stage) { play(lies, to_stage); })
    {
    }

private:
    static void play(const std::vector<Lie> &lies, Line &to_stage)
    {
        for (const Lie &lie : lies) {
            if (!to_stage.wait())
                return;
            raw::Exporter exporter(own_role(), first_device());
            raw::Script script = exporter.truth();
            lie.tell(exporter, script);
            to_stage.send(exporter.descriptor());
            exporter.serve(script, to_stage);
        }
        (void)to_stage.wait();
    }
};

void tell_truth(raw::Exporter &, raw::Script &) {}

/// A lie about a field of the window_reply.
Lie about_window(const char *name, std::function<void(raw::WindowClaim &claim)> change)
{
    return {name, [change](raw::Exporter &exporter, raw::Script &script) {
                raw::WindowClaim claim = exporter.window_claim();
                change(claim);
                script.window = claim.bytes();
            }};
}

/// What comes with the window_reply instead of the memory. The file lives as long as the process.
Lie about_memory(const char *name, const std::function<int()> &make)
{
    return {name, [make](raw::Exporter &, raw::Script &script) { script.window_fds = {make()}; }};
}

int unsealed_memory()
{
    return ::dup(raw::memory_file(kSize, 0).get());
}

/// Each of these must be refused as an import.
std::vector<Lie> lies_that_are_seen()
{
    const auto hello = [](const char *name, auto change) { return Lie{name, change}; };
    constexpr std::uint64_t kMax = ~std::uint64_t{0};
    std::vector<Lie> lies{
        hello("another process",
              [](raw::Exporter &own, raw::Script &script) {
                  script.hello = own.hello_reply(raw::kOk, raw::random_bytes(16));
              }),
        hello("no page", [](raw::Exporter &, raw::Script &script) { script.hello_fds.clear(); }),
        hello("two pages", [](raw::Exporter &own,
                              raw::Script &script) { script.hello_fds.push_back(own.page.fd()); }),
        hello(
            "other memory as page",
            [](raw::Exporter &own, raw::Script &script) { script.hello_fds = {own.memory.get()}; }),
        hello("a page that can be truncated",
              [](raw::Exporter &, raw::Script &script) {
                  script.hello_fds = {::dup(raw::memory_file(raw::StatusPage::kSize, 0).get())};
              }),
        hello("a directory as page",
              [](raw::Exporter &, raw::Script &script) {
                  script.hello_fds = {::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
              }),
        hello("a page of another kind",
              [](raw::Exporter &own, raw::Script &) { own.page.set_magic(1); }),
        hello("a page of another version",
              [](raw::Exporter &own, raw::Script &) { own.page.set_version(2); }),
        hello("garbage", [](raw::Exporter &, raw::Script &script) { script.hello = "garbage"; }),
        hello("a huge answer",
              [](raw::Exporter &, raw::Script &script) {
                  script.hello = raw::message(raw::kHelloReply, raw::Bytes().text("", 60'000));
              }),
        hello("another answer",
              [](raw::Exporter &, raw::Script &script) { script.hello = script.window; }),
        hello("no window", [](raw::Exporter &, raw::Script &script) { script.window = "x"; }),
        hello("a window that is cut",
              [](raw::Exporter &, raw::Script &script) {
                  script.window = raw::message(raw::kWindowReply, raw::Bytes().text("", 135));
              }),
        hello("another answer than a window",
              [](raw::Exporter &, raw::Script &script) { script.window = script.staging; }),
        about_window("slot", [](raw::WindowClaim &claim) { claim.slot = raw::kMaxWindows; }),
        about_window("last slot", [](raw::WindowClaim &claim) { claim.slot = 0xffffffff; }),
        about_window("no length", [](raw::WindowClaim &claim) { claim.len = 0; }),
        about_window("no address", [](raw::WindowClaim &claim) { claim.addr = 0; }),
        about_window("length", [=](raw::WindowClaim &claim) { claim.len = kMax; }),
        about_window("address", [=](raw::WindowClaim &claim) { claim.addr = kMax; }),
        about_window("wraps to 0", [](raw::WindowClaim &claim) { claim.addr = 0 - claim.len; }),
        about_window("node", [](raw::WindowClaim &claim) { claim.node = "elsewhere"; }),
        about_window(
            "own side",
            [](raw::WindowClaim &claim) { claim.node = claim.side == 1 ? "host" : "dpu"; }),
        about_window("function", [](raw::WindowClaim &claim) { claim.pci = "0000:ff:1f.7"; }),
        about_window("endless names",
                     [](raw::WindowClaim &claim) {
                         claim.node = std::string(64, 'x');
                         claim.pci = std::string(16, '\x1b');
                     }),
    };
    for (std::uint32_t status = 1; status < 10; ++status) {
        lies.push_back({"status of hello", [status](raw::Exporter &own, raw::Script &script) {
                            script.hello = own.hello_reply(status, own.process);
                        }});
        lies.push_back(about_window("status of window",
                                    [status](raw::WindowClaim &claim) { claim.status = status; }));
    }
    return lies;
}

/// Memory that must not be mapped.
std::vector<Lie> lies_about_memory()
{
    constexpr std::uint64_t kMax = ~std::uint64_t{0};
    return {
        {"no memory", [](raw::Exporter &, raw::Script &script) { script.window_fds.clear(); }},
        {"two of them", [](raw::Exporter &own,
                           raw::Script &script) { script.window_fds.push_back(own.memory.get()); }},
        about_memory("can be truncated", unsealed_memory),
        about_memory("/dev/zero", [] { return ::open("/dev/zero", O_RDWR | O_CLOEXEC); }),
        about_memory("a directory", [] { return ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }),
        about_memory("a file", [] { return ::open("/proc/self/status", O_RDONLY | O_CLOEXEC); }),
        about_memory("not for writing",
                     [] {
                         const raw::Fd memory = raw::memory_file(kSize, raw::kSealSize);
                         const std::string path = "/proc/self/fd/" + std::to_string(memory.get());
                         return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
                     }),
        about_window("longer than the memory", [](raw::WindowClaim &claim) { claim.len += 1; }),
        about_window("much longer",
                     [](raw::WindowClaim &claim) { claim.len = std::uint64_t{1} << 46; }),
        about_window("offset of one", [](raw::WindowClaim &claim) { claim.offset = 1; }),
        about_window("offset at the end", [](raw::WindowClaim &claim) { claim.offset = kSize; }),
        about_window("offset", [=](raw::WindowClaim &claim) { claim.offset = kMax; }),
        about_window("offset that wraps",
                     [](raw::WindowClaim &claim) { claim.offset = 0 - claim.len; }),
        about_window("offset that wraps later",
                     [](raw::WindowClaim &claim) { claim.offset = 1 - claim.len; }),
        about_window("offset below 0",
                     [](raw::WindowClaim &claim) { claim.offset = 0 - std::uint64_t{4096}; }),
    };
}

/// Answers to copies, by which the copy must fail.
std::vector<Lie> lies_about_copies()
{
    const auto reply = [](const char *name, std::uint32_t status, std::uint32_t num_done) {
        return Lie{name, [=](raw::Exporter &, raw::Script &script) {
                       script.copy =
                           raw::message(raw::kCopyReply, raw::Bytes().u32(status).u32(num_done));
                   }};
    };
    return {
        reply("nothing was copied", raw::kBadAddress, 0),
        {"garbage", [](raw::Exporter &, raw::Script &script) { script.copy = "garbage"; }},
        {"another answer",
         [](raw::Exporter &, raw::Script &script) { script.copy = script.staging; }},
        {"a huge answer",
         [](raw::Exporter &, raw::Script &script) {
             script.copy = raw::message(raw::kCopyReply, raw::Bytes().text("", 10'000));
         }},
        {"staging is refused",
         [](raw::Exporter &, raw::Script &script) {
             script.staging = raw::message(raw::kReply, raw::Bytes().u32(raw::kBadMemory).u32(0));
         }},
        {"another window for copies",
         [](raw::Exporter &own, raw::Script &script) {
             raw::WindowClaim claim = own.window_claim();
             claim.slot = 1;
             script.window_for_copies = claim.bytes();
         }},
        {"the generation changes",
         [](raw::Exporter &own, raw::Script &script) {
             raw::WindowClaim claim = own.window_claim();
             claim.generation = 2;
             script.window = claim.bytes();
         }},
    };
}

/// Asks for the next lie; the descriptor.
std::string next_of(const Liar &liar)
{
    liar.line.send("next");
    return liar.line.receive();
}

bool is_refusal(doca_error_t code)
{
    return code == DOCA_ERROR_DRIVER || code == DOCA_ERROR_NOT_PERMITTED ||
           code == DOCA_ERROR_NO_MEMORY; // it may say that it has no room
}

} // namespace

/// The raw protocol is the library's: else all lies would be seen for the wrong reason.
TEST(HostileExporter, WhoTellsTheTruthIsBelieved)
{
    for (const Via via : kEachRoute) {
        const std::vector<Lie> none{{"none", tell_truth}};
        on_stage(via, [&] {
            const Liar liar(none);
            Importer importer(1, kSize);
            Import &import = importer.import(next_of(liar));
            EXPECT_EQ(import.size(), kSize);
            EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
            if (via != Via::agent) { // there nobody fills the staging memory
                EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, 1).data(), kSize),
                          kSize);
            }
        });
    }
}

TEST(HostileExporter, LiesThatAreSeen)
{
    const std::vector<Lie> lies = lies_that_are_seen();
    on_stage([&] {
        const Liar liar(lies);
        Exporter honest(Via::cross, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(honest.line.receive());
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
        const Census before = Census::now();

        for (const Lie &lie : lies) {
            const std::string descriptor = next_of(liar);
            const auto start = std::chrono::steady_clock::now();
            EXPECT_PRED1(is_refusal, import_code(importer.device, descriptor)) << lie.name;
            EXPECT_LT(std::chrono::steady_clock::now() - start, patience(std::chrono::seconds(3)))
                << lie.name;
        }

        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
        EXPECT_TRUE(comes_true([&] { return Census::now() == before; }))
            << Census::now() << ", before " << before;
    });
}

TEST(HostileExporter, LiesAboutMemory)
{
    const std::vector<Lie> lies = lies_about_memory();
    on_stage(Via::mapped, [&] {
        const Liar liar(lies);
        const Device device;
        for (const Lie &lie : lies)
            EXPECT_EQ(import_code(device, next_of(liar)), DOCA_ERROR_NOT_SUPPORTED) << lie.name;
    });
}

/// It names a place where its id is not to be read, or another's.
TEST(HostileExporter, LiesAboutItsMemoryForTheCrossRoute)
{
    const std::vector<Lie> lies{
        about_window("no address", [](raw::WindowClaim &claim) { claim.probe_addr = 0; }),
        about_window("address", [](raw::WindowClaim &claim) { claim.probe_addr = ~claim.len; }),
        about_window("other memory",
                     [](raw::WindowClaim &claim) { claim.probe_addr = claim.addr; }),
    };
    on_stage(Via::cross, [&] {
        const Liar liar(lies);
        const Device device;
        for (const Lie &lie : lies)
            EXPECT_EQ(import_code(device, next_of(liar)), DOCA_ERROR_NOT_SUPPORTED) << lie.name;
    });
}

TEST(HostileExporter, LiesAboutCopies)
{
    const std::vector<Lie> lies = lies_about_copies();
    on_stage(Via::agent, [&] {
        const Liar liar(lies);
        Importer importer(1, kSize);
        for (const Lie &lie : lies) {
            SCOPED_TRACE(lie.name);
            const std::string descriptor = next_of(liar);
            doca_mmap *made = nullptr;
            const doca_error_t code = try_import(importer.device, descriptor, &made);
            if (code != DOCA_SUCCESS) {
                EXPECT_PRED1(is_refusal, code);
                continue;
            }
            Import &import = importer.import(descriptor); // by the same connection
            ASSERT_EQ(doca_mmap_destroy(made), DOCA_SUCCESS);
            EXPECT_NE(importer.read(import, 0, kSize), DOCA_SUCCESS);
            ASSERT_TRUE(importer.recover());
        }
    });
}

/// Its agent goes on answering: at first the death may pass unseen.
TEST(HostileExporter, SaysThatItIsDead)
{
    const std::vector<Lie> lies{{"a dead page", [](raw::Exporter &own, raw::Script &) {
                                     own.page.set_death_word(0x40000001);
                                 }}};
    on_stage(Via::agent, [&] {
        const Liar liar(lies);
        const Importer importer(1, kSize);
        const std::string descriptor = next_of(liar);
        doca_error_t code = DOCA_SUCCESS;
        const auto is_seen = [&] {
            code = import_code(importer.device, descriptor);
            return code != DOCA_SUCCESS;
        };
        EXPECT_TRUE(wait_until(importer.pe, is_seen, patience()));
        EXPECT_PRED1(is_refusal, code);
    });
}

/// More pieces than were asked for are not believed to be anything else than all.
TEST(HostileExporter, CopiesMoreThanItWasAsked)
{
    const std::vector<Lie> lies{{"num_done", [](raw::Exporter &, raw::Script &script) {
                                     script.copy = raw::message(
                                         raw::kCopyReply, raw::Bytes().u32(0).u32(0xffffffff));
                                 }}};
    on_stage(Via::agent, [&] {
        const Liar liar(lies);
        Importer importer(1, kSize);
        Import &import = importer.import(next_of(liar));
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    });
}

/// Copies wait, progress does not, and a stop ends them.
TEST(HostileExporter, NeverAnswersCopies)
{
    const std::vector<Lie> lies{
        {"silence", [](raw::Exporter &, raw::Script &script) { script.copy.clear(); }},
        {"flood", [](raw::Exporter &, raw::Script &script) { script.flooded = raw::kCopy; }},
    };
    on_stage(Via::agent, [&] {
        const Liar liar(lies);
        for (const Lie &lie : lies) {
            Importer importer(1, kSize);
            Import &import = importer.import(next_of(liar));
            importer.submit(importer.data(import, 0, kSize), importer.room(0, kSize));
            EXPECT_FALSE(importer.wait_for_ends(1, std::chrono::milliseconds(100))) << lie.name;

            EXPECT_EQ(importer.context.stop(), DOCA_ERROR_IN_PROGRESS) << lie.name;
            EXPECT_TRUE(importer.wait_for_ends(1)) << lie.name;
            EXPECT_TRUE(importer.recover()) << lie.name;
        }
    });
}

/// Answers to another question, again and again, do not hold an import for ever.
TEST(HostileExporter, Floods)
{
    const std::vector<Lie> lies{
        {"flood", [](raw::Exporter &, raw::Script &script) { script.flooded = raw::kOpenWindow; }}};
    on_stage(Via::agent, [&] {
        const Liar liar(lies);
        const Device device;
        const std::string descriptor = next_of(liar);
        const auto start = std::chrono::steady_clock::now();

        EXPECT_EQ(import_code(device, descriptor), DOCA_ERROR_DRIVER);

        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(7));
    });
}

/// The window ends, by the page alone or with the process, while it is in use.
TEST(HostileExporter, ItsPageChangesWhileCopiesAreMade)
{
    for (const Via via : {Via::mapped, Via::cross}) {
        on_stage(via, [&] {
            Process liar(other_role(), [](Line &line) {
                raw::Exporter exporter(own_role(), first_device());
                line.send(exporter.descriptor());
                exporter.serve(exporter.truth(), line);
                (void)line.wait();
                exporter.page.set_generation(0, 0xffffffffffffffff);
                line.send("changed");
                (void)line.wait();
            });
            Importer importer(1, kSize);
            Import &import = importer.import(liar.line.receive());
            EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
            liar.line.send("change");
            EXPECT_EQ(liar.line.receive(), "changed");

            EXPECT_NE(importer.read(import, 0, kSize), DOCA_SUCCESS);
            EXPECT_TRUE(importer.recover());
        });
    }
}

/// The seals hold what was mapped: no load of the importer can fail.
TEST(HostileExporter, CannotTruncateWhatWasMapped)
{
    on_stage(Via::mapped, [] {
        Process liar(other_role(), [](Line &line) {
            raw::Exporter exporter(own_role(), first_device());
            line.send(exporter.descriptor());
            exporter.serve(exporter.truth(), line);
            (void)line.wait();
            EXPECT_NE(::ftruncate(exporter.memory.get(), 0), 0);
            EXPECT_NE(::ftruncate(exporter.page.fd(), 0), 0);
            EXPECT_EQ(::fallocate(exporter.memory.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                  0, kSize),
                      0);
            line.send("tried");
            (void)line.wait();
        });
        Importer importer(1, kSize);
        Import &import = importer.import(liar.line.receive());
        liar.line.send("try");
        EXPECT_EQ(liar.line.receive(), "tried");

        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS); // zeros
        EXPECT_EQ(importer.write(import, 0, kSize), DOCA_SUCCESS);
    });
}
