// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Importers that know a descriptor and say what they like. Whatever that is, it costs the exporter
// nothing but their connection: its other importers go on.

#include "support/raw_peer.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint32_t kReadOnly =
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_ONLY;
constexpr std::uint32_t kReadWrite =
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE;

/// Nanoseconds that the other threads of this process have run.
std::uint64_t run_time_of_others()
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
raw::Bytes zeros(std::size_t message_size)
{
    return raw::Bytes().text("", message_size - raw::kHeaderSize);
}

std::vector<std::string> garbage()
{
    using raw::lying_message;
    constexpr std::uint32_t kMagic = 0x4f444653;
    const raw::Bytes list = raw::Bytes().u32(0).u32(0);
    std::vector<std::string> messages{
        "",
        "x",
        std::string(15, '\0'),
        std::string(16, '\0'),
        std::string(16, '\xff'),
        raw::random_bytes(40),
        raw::random_bytes(1072),
        raw::random_bytes(60'000),
        lying_message(kMagic + 1, 1, raw::kList, 24, list),
        lying_message(kMagic, 0, raw::kList, 24, list),
        lying_message(kMagic, 2, raw::kList, 24, list),
        lying_message(kMagic, 1, raw::kList, 23, list),
        lying_message(kMagic, 1, raw::kList, 25, list),
        lying_message(kMagic, 1, raw::kList, 0, list),
        lying_message(kMagic, 1, raw::kList, 0xffffffff, list),
    };
    for (const std::uint16_t type : std::initializer_list<std::uint16_t>{0, 12, 255, 65535})
        messages.push_back(raw::message(type, list));
    // What only an exporter says.
    messages.push_back(raw::message(raw::kHelloReply, zeros(raw::kHelloReplySize)));
    messages.push_back(raw::message(raw::kWindowReply, zeros(raw::kWindowReplySize)));
    messages.push_back(raw::message(raw::kReply, zeros(24)));
    messages.push_back(raw::message(raw::kCopyReply, zeros(24)));
    messages.push_back(raw::message(raw::kListReply, zeros(raw::kListReplySize)));
    return messages;
}

} // namespace

/// The same steps as the library's importer, with the numbers of the format written down here.
TEST(HostilePeer, ARawImporterThatBehavesIsServed)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            EXPECT_EQ(raw.copy(false, {{scene.descriptor.addr, 100},
                                       {scene.descriptor.addr + kPage - 100, 100}}),
                      raw::kOk);
            const std::vector<std::byte> expected = pattern(3 * kPage, 1);
            EXPECT_EQ(first_difference(raw.staging, expected.data() + kPage, 100), 100u);
            EXPECT_EQ(first_difference(raw.staging + 100, expected.data() + 2 * kPage - 100, 100),
                      100u);
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, Garbage)
{
    on_stage(Via::agent, [] {
        Scene scene;
        for (const std::string &bytes : garbage()) {
            const raw::Importer stranger(scene.descriptor), known(scene.descriptor);
            stranger.socket.send(bytes);
            EXPECT_TRUE(stranger.socket.is_ended()) << testing::PrintToString(bytes.substr(0, 24));
            ASSERT_EQ(known.greet(), raw::kOk);
            known.socket.send(bytes);
            EXPECT_TRUE(known.socket.is_ended()) << testing::PrintToString(bytes.substr(0, 24));
        }
        scene.expect_unharmed();
    });
}

/// A message is whole or it is none: nobody waits for the rest.
TEST(HostilePeer, PartsOfMessages)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const std::pair<std::uint16_t, std::size_t> kSizes[] = {
            {raw::kHello, 48},         {raw::kOpenWindow, 40}, {raw::kCloseWindow, 32},
            {raw::kAttachStaging, 24}, {raw::kCopy, 1072},     {raw::kList, 24},
        };
        for (const auto &[type, size] : kSizes)
            for (const std::size_t wrong : {std::size_t{16}, size - 1, size + 1, size + 100}) {
                const raw::Importer raw(scene.descriptor);
                if (type != raw::kHello) {
                    ASSERT_EQ(raw.greet(), raw::kOk);
                }
                raw.socket.send(raw::message(type, zeros(wrong)));
                EXPECT_TRUE(raw.socket.is_ended()) << "type " << type << ", " << wrong << " bytes";
            }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, BeforeAGreetingNothingElseIsHeard)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer first(scene.descriptor), second(scene.descriptor),
            third(scene.descriptor), twice(scene.descriptor);
        EXPECT_FALSE(first.open(scene.descriptor.key, false).has_value());
        second.socket.send(second.copy_message(false, {{scene.descriptor.addr, 1}}));
        EXPECT_TRUE(second.socket.is_ended());
        third.socket.send(raw::message(raw::kList, zeros(24)));
        EXPECT_TRUE(third.socket.is_ended());
        ASSERT_EQ(twice.greet(), raw::kOk);
        EXPECT_EQ(twice.greet(), std::nullopt);
        EXPECT_TRUE(twice.socket.is_ended());
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, Silence)
{
    on_stage(Via::agent, [] {
        Scene scene;
        std::deque<raw::Importer> silent;
        for (int i = 0; i < 100; ++i)
            silent.emplace_back(scene.descriptor);

        scene.expect_served();
        const raw::Importer newcomer(scene.descriptor);
        EXPECT_EQ(newcomer.greet(), raw::kOk);
        EXPECT_TRUE(silent.front().socket.is_ended()); // no more than 64 are borne with
        for (const raw::Importer &each : silent)
            EXPECT_TRUE(each.socket.is_ended(patience(std::chrono::seconds(2))));

        scene.expect_served();
        const auto window = newcomer.open(scene.descriptor.key, false); // it has said who it is
        ASSERT_TRUE(window.has_value());
        EXPECT_EQ(window->status(), raw::kOk);
        silent.clear();
    });
}

/// Each round is one more connection that asks as fast as it can and reads nothing.
void flood(Line &line, const std::function<std::string(const raw::Importer &)> &request)
{
    const auto descriptor = raw::Descriptor::parse(line.receive());
    while (!line.is_ready()) {
        raw::Importer raw(descriptor);
        if (!raw.begin_copies())
            continue;
        const std::string bytes = request(raw);
        while (!line.is_ready() && raw.socket.send(bytes))
            continue;
    }
}

TEST(HostilePeer, Floods)
{
    on_stage(Via::agent, [] {
        Process lists(own_role(), [](Line &line) {
            flood(line, [](const raw::Importer &) { return raw::message(raw::kList, zeros(24)); });
        });
        Process copies(own_role(), [](Line &line) {
            flood(line, [](const raw::Importer &raw) {
                return raw.copy_message(false, {{raw.descriptor.addr, kPage}});
            });
        });
        Process nonsense(own_role(), [](Line &line) {
            flood(line, [](const raw::Importer &) { return std::string(1000, 'x'); });
        });
        Scene scene;
        const raw::Descriptor &known = scene.descriptor;
        for (const Process *const each : {&lists, &copies, &nonsense})
            each->line.send(known.bytes());

        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
        int num_copies = 0;
        for (; std::chrono::steady_clock::now() < end; ++num_copies)
            scene.expect_served();
        EXPECT_GT(num_copies, 5);

        for (Process *const each : {&lists, &copies, &nonsense})
            each->end();
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, NeverReadsItsAnswers)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        const std::string request = raw::message(raw::kList, zeros(24));
        EXPECT_TRUE(comes_true([&] {
            raw.socket.send(request);
            char byte;
            return ::send(raw.socket.fd(), request.data(), request.size(),
                          MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
                   errno == EPIPE && ::recv(raw.socket.fd(), &byte, 1, MSG_PEEK) >= 0;
        }));
        scene.expect_served();
        EXPECT_EQ(scene.victim.ask("rest"), "idle");
    });
}

/// Files that somebody may send in place of memory.
class OddFiles {
public:
    OddFiles()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) == 0) {
            add("a pipe", ends[0]);
            add("the other end of a pipe", ends[1]);
        }
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
            add("a socket", ends[0]);
            add("the other end of a socket", ends[1]);
        }
        add("/dev/zero", ::open("/dev/zero", O_RDWR | O_CLOEXEC));
        add("a directory", ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        add("a file of /proc", ::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
        add("a path", ::open("/dev/null", O_PATH | O_CLOEXEC));
        add(raw::memory_file(raw::StatusPage::kSize, 0), "memory that can be truncated");
        add(raw::memory_file(raw::StatusPage::kSize - 1, raw::kSealSize),
            "memory that is too small");
        add(raw::memory_file(raw::StatusPage::kSize, raw::kSealSize), "memory full of zeros");
    }

    struct Odd {
        std::string name;
        raw::Fd fd;
    };
    const std::deque<Odd> &all() const { return all_; }

private:
    void add(const char *name, int fd) { add(raw::Fd(fd), name); }
    void add(raw::Fd &&fd, const char *name)
    {
        EXPECT_TRUE(fd.is_open()) << name;
        all_.push_back({name, std::move(fd)});
    }
    std::deque<Odd> all_;
};

TEST(HostilePeer, WrongDescriptorsAsStatusPage)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const OddFiles odd;
        for (const OddFiles::Odd &each : odd.all())
            EXPECT_EQ(raw::Importer(scene.descriptor).greet_with({each.fd.get()}), raw::kBadMemory)
                << each.name;
        const raw::Importer raw(scene.descriptor), other(scene.descriptor);
        EXPECT_EQ(raw.greet_with({}), raw::kBadMemory);
        EXPECT_EQ(raw.greet_with({raw.page.fd(), raw.page.fd()}), raw::kBadMemory);
        EXPECT_EQ(raw.greet_with(std::vector<int>(12, raw.page.fd())), raw::kBadMemory);
        EXPECT_EQ(raw.greet_with({other.page.fd()}), raw::kBadMemory); // another process's
        raw.page.set_version(2);
        EXPECT_EQ(raw.greet(), raw::kBadMemory);
        raw.page.set_version(1);
        raw.page.set_magic(0);
        EXPECT_EQ(raw.greet(), raw::kBadMemory);
        EXPECT_TRUE(raw.socket.is_ended(patience(std::chrono::seconds(2)))); // still a stranger
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WrongDescriptorsAsStaging)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const OddFiles odd;
        {
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            for (const OddFiles::Odd &each : odd.all())
                EXPECT_EQ(raw.attach(kPage, {each.fd.get()}), raw::kBadMemory) << each.name;
            const raw::Fd good = raw::memory_file(kPage, raw::kSealSize);
            const raw::Fd can_grow = raw::memory_file(kPage, 0x2);
            const raw::Fd huge = raw::memory_file(std::size_t{1} << 40, raw::kSealSize);
            EXPECT_EQ(raw.attach(kPage, {can_grow.get()}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(kPage, {}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(kPage, {good.get(), good.get()}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(kPage + 1, {good.get()}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(std::uint64_t{1} << 40, {huge.get()}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(~std::uint64_t{0}, {good.get()}), raw::kBadMemory);
            raw.socket.send(raw.copy_message(false, {{scene.descriptor.addr, 1}}));
            EXPECT_TRUE(raw.socket.is_ended()); // it has no staging memory
        }
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            const raw::Fd other = raw::memory_file(kPage, raw::kSealSize);
            EXPECT_EQ(raw.attach(kPage, {other.get()}), std::nullopt); // one is enough
            EXPECT_TRUE(raw.socket.is_ended());
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, DescriptorsThatNobodyAskedFor)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            const OddFiles odd;
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            for (int round = 0; round < 200; ++round) {
                const int fd =
                    odd.all()[static_cast<std::size_t>(round) % odd.all().size()].fd.get();
                raw.socket.send(raw::message(raw::kList, zeros(24)), std::vector<int>(12, fd));
                ASSERT_TRUE(raw.socket.receive().has_value());
            }
        }
        scene.expect_unharmed();
    });
}

/// A connection whose last owner waits a minute, when it closes it, for what nobody reads.
raw::Fd lingering()
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *const generic = reinterpret_cast<sockaddr *>(&address);
    static raw::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    raw::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    (void)::listen(listener.get(), 16);
    if (::getsockname(listener.get(), generic, &size) != 0 ||
        ::connect(fd.get(), generic, size) != 0)
        skip_stage("no network, not even within this machine");
    const std::string much(100'000, 'x');
    while (::send(fd.get(), much.data(), much.size(), MSG_DONTWAIT) > 0)
        continue;
    const linger minute{1, 60};
    EXPECT_EQ(::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &minute, sizeof minute), 0);
    return fd;
}

TEST(HostilePeer, ConnectionsThatLinger)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            const raw::Importer greeting(scene.descriptor), staging(scene.descriptor),
                many(scene.descriptor), unread(scene.descriptor);
            for (const raw::Importer *const each : {&staging, &many, &unread})
                ASSERT_EQ(each->greet(), raw::kOk);
            scene.victim.pause(); // so that it becomes the last owner of each
            const int page = greeting.page.fd();
            greeting.socket.send(greeting.hello(), {lingering().get()});
            staging.socket.send(raw::message(raw::kAttachStaging, raw::Bytes().u64(kPage)),
                                {lingering().get()});
            const std::string list = raw::message(raw::kList, zeros(24));
            {
                const raw::Fd last = lingering();
                std::vector<int> fds(15, page); // more than anybody has room for
                fds.push_back(last.get());
                many.socket.send(list, fds);
            }
            unread.socket.send("nonsense", {lingering().get()});
            unread.socket.send("more", {lingering().get()});
            unread.socket.send("");
            unread.socket.send("more", {lingering().get()});
            scene.victim.resume();
            scene.expect_served();
            EXPECT_TRUE(many.socket.receive().has_value());
            EXPECT_TRUE(unread.socket.is_ended());
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WrongKeys)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        const auto expect_no_such_key = [&](const std::string &key) {
            const auto window = raw.open(key, false);
            ASSERT_TRUE(window.has_value());
            EXPECT_EQ(window->status(), raw::kNoSuchKey);
            EXPECT_TRUE(window->fds.empty());
            for (std::size_t i = 20; i < window->bytes.size(); ++i) // nothing is given away
                EXPECT_EQ(window->bytes[i], 0);
        };
        expect_no_such_key(std::string(16, '\0'));
        for (std::size_t i = 0; i < 16; ++i) {
            std::string key = scene.descriptor.key;
            key[i] = static_cast<char>(key[i] ^ 1);
            expect_no_such_key(key);
        }
        for (int i = 0; i < 1000; ++i)
            expect_no_such_key(raw::random_bytes(16));
        EXPECT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kOk);

        scene.expect_served();
        EXPECT_EQ(scene.victim.ask("stop"), "stopped");
        expect_no_such_key(scene.descriptor.key); // an old one
    });
}

TEST(HostilePeer, ThousandsOfWindows)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            for (int i = 0; i < 4096; ++i) {
                const auto window = raw.open(scene.descriptor.key, i % 2 != 0);
                ASSERT_TRUE(window.has_value()) << i;
                ASSERT_EQ(window->status(), raw::kOk) << i;
            }
            scene.expect_served();
            EXPECT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kBusy);
            EXPECT_FALSE(
                raw.socket.is_ended(std::chrono::milliseconds(50))); // it keeps what it has
        }
        scene.expect_unharmed();

        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        for (int i = 0; i < 2000; ++i)
            ASSERT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kOk);
        EXPECT_EQ(scene.victim.ask("stop"), "stopped");
    });
}

TEST(HostilePeer, HundredsOfConnections)
{
    on_stage(Via::agent, [] {
        Process crowd(own_role(), [](Line &line) {
            const auto descriptor = raw::Descriptor::parse(line.receive());
            std::deque<raw::Importer> all;
            std::uint64_t num_served = 0;
            for (int i = 0; i < 200; ++i)
                num_served += all.emplace_back(descriptor).greet() == raw::kOk ? 1 : 0;
            line.send_number(num_served);
            (void)line.wait();
        });
        Scene scene;
        EXPECT_EQ(scene.victim.ask("poor"), "yes");
        const raw::Descriptor &known = scene.descriptor;
        crowd.line.send(known.bytes());

        EXPECT_EQ(crowd.line.receive_number(), 16u);
        EXPECT_EQ(scene.victim.ask("can you open files"), "yes");
        scene.expect_served();
        EXPECT_EQ(raw::Importer(scene.descriptor).greet(), raw::kOk); // of another process
        crowd.end();
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, AddressesOutsideOfTheWindow)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const std::uint64_t begin = scene.descriptor.addr;
        constexpr std::uint64_t kMax = ~std::uint64_t{0};
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            const std::vector<raw::Importer::Piece> kOutside{{begin - 1, 1},
                                                             {begin - 1, 2},
                                                             {begin + kPage, 1},
                                                             {begin + kPage - 1, 2},
                                                             {begin, kPage + 1},
                                                             {0, 1},
                                                             {0, 0},
                                                             {kMax, 1},
                                                             {kMax - 10, 20},
                                                             {begin + kPage + 1, 0},
                                                             {begin - kPage, 3 * kPage}};
            for (const auto &piece : kOutside)
                for (const bool is_write : {false, true})
                    EXPECT_EQ(raw.copy(is_write, {{begin, 1}, piece}), raw::kNotPermitted)
                        << piece.addr << ", " << piece.len;
            EXPECT_EQ(raw.copy(true, {{begin, 0}, {begin + kPage, 0}}), raw::kOk);
        }
        // What is no mistake of an importer ends the connection.
        const auto expect_end = [&](const std::vector<raw::Importer::Piece> &pieces,
                                    std::uint64_t staging_offset) {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            EXPECT_EQ(raw.copy(true, pieces, staging_offset), std::nullopt);
            EXPECT_TRUE(raw.socket.is_ended());
        };
        constexpr std::uint64_t kStaging = raw::Importer::kStaging;
        expect_end({{begin, kMax}}, 0);
        expect_end({{begin, kMax - begin}}, 0);
        expect_end({{begin, kStaging + 1}}, 0);
        expect_end({{begin, 1}}, kStaging);
        expect_end({{begin, 1}}, kStaging + 1);
        expect_end({{begin, 1}}, kMax);
        expect_end({{begin, kPage}, {begin, kPage}}, kStaging - kPage);
        expect_end(std::vector<raw::Importer::Piece>(65, {begin, 1}), 0);
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WindowsThatItWasNotGranted)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const std::vector<raw::Importer::Piece> pieces{{scene.descriptor.addr, 1}};
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            const std::uint64_t generation = raw.generation;
            raw.generation = generation + 1;
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted);
            raw.generation = generation - 1;
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted);
            raw.generation = generation;
            raw.slot += 1;
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted);
            raw.slot = 4095;
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted);
            raw.slot = 4096;
            EXPECT_EQ(raw.copy(false, pieces), std::nullopt);
        }
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            raw::Bytes close;
            close.u32(raw.slot).u32(0).u64(raw.generation);
            raw.socket.send(raw::message(raw::kCloseWindow, close));
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted); // closed
            raw.socket.send(raw::message(raw::kCloseWindow, close));
            EXPECT_TRUE(raw.socket.is_ended()); // what it does not have
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WritesReadOnlyMemoryByTheAgent)
{
    on_stage(Via::agent, [] {
        Scene scene(Via::cross, kReadOnly);
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            for (const std::size_t len : {std::size_t{1}, kPage})
                EXPECT_EQ(raw.copy(true, {{scene.descriptor.addr, len}}), raw::kNotPermitted);
        }
        EXPECT_EQ(scene.victim.ask("is all the same"), "yes");
        scene.expect_unharmed();
    });
}

/// No way leads from a descriptor of shared memory to writing it.
void expect_read_only(const raw::Fd &fd, std::size_t offset)
{
    const std::string path = "/proc/self/fd/" + std::to_string(fd.get());
    const raw::Fd again(::open(path.c_str(), O_RDWR | O_CLOEXEC)); // allowed; of no use
    for (const int each : {fd.get(), again.get()}) {
        if (each < 0)
            continue;
        EXPECT_EQ(::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, each, 0), MAP_FAILED);
        EXPECT_LT(::pwrite(each, "x", 1, static_cast<off_t>(offset)), 0);
        EXPECT_LT(::ftruncate(each, 0), 0);
        EXPECT_LT(::fallocate(each, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kPage), 0);
        void *const seen = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, each, 0);
        ASSERT_NE(seen, MAP_FAILED);
        EXPECT_LT(::mprotect(seen, kPage, PROT_READ | PROT_WRITE), 0);
        ::munmap(seen, kPage);
    }
}

TEST(HostilePeer, WritesReadOnlyMemoryByAMapping)
{
    on_stage(Via::mapped, [] {
        Scene scene(Via::mapped, kReadOnly);
        {
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            const auto window = raw.open(scene.descriptor.key, false);
            ASSERT_TRUE(window.has_value());
            ASSERT_EQ(window->fds.size(), 1u);
            const std::uint64_t offset = raw::number_at(window->bytes, 48, 8);
            EXPECT_EQ(offset, 0u);
            expect_read_only(window->fds.front(), offset);
        }
        EXPECT_EQ(scene.victim.ask("is all the same"), "yes");
        scene.expect_unharmed();
    });
}

/// A descriptor opens all of the memory, so it is not passed on with a part.
TEST(HostilePeer, GetsNoDescriptorOfMemoryThatIsExportedInPart)
{
    on_stage(Via::cross, [] {
        Scene scene(Via::dmabuf);
        {
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            const auto window = raw.open(scene.descriptor.key, false);
            ASSERT_TRUE(window.has_value());
            EXPECT_EQ(window->fds.size(), 0u);
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WritesTheStatusPage)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            const raw::Importer raw(scene.descriptor);
            raw.socket.send(
                raw::message(raw::kHello, raw::Bytes().raw(raw.process).text(SOFTDOCA_VERSION, 16)),
                {raw.page.fd()});
            const auto answer = raw.socket.receive();
            ASSERT_TRUE(answer.has_value());
            ASSERT_EQ(answer->bytes.size(), raw::kHelloReplySize);
            EXPECT_EQ(answer->bytes.substr(24, 16), scene.descriptor.exporter);
            ASSERT_EQ(answer->fds.size(), 1u);
            expect_read_only(answer->fds.front(), 0);
        }
        scene.expect_unharmed();
    });
}

/// Says that it copies for ever: the exporter waits a second for it, not longer.
TEST(HostilePeer, AStatusPageThatLies)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        ASSERT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kOk);
        for (std::uint32_t i = 0; i < raw::kMaxCopyMarks; ++i)
            raw.page.set_mark(i, 1);
        raw.page.set_num_marks(0xffffffff);
        scene.expect_served();

        EXPECT_EQ(scene.victim.ask("stop"), "stopped");

        EXPECT_FALSE(scene.can_copy());
    });
}

TEST(HostilePeer, AStatusPageThatChangesAllTheTime)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        ASSERT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kOk);
        std::atomic<bool> is_over{false};
        std::thread liar([&] {
            for (std::uint64_t i = 1; !is_over; i += 2) {
                raw.page.set_num_marks(static_cast<std::uint32_t>(i * 0x9e3779b9));
                for (std::uint32_t mark = 0; mark < raw::kMaxCopyMarks; ++mark)
                    raw.page.set_mark(mark, i);
                raw.page.set_magic(0);
                raw.page.set_generation(static_cast<std::uint32_t>(i % raw::kMaxWindows), i);
            }
        });
        scene.expect_served();

        EXPECT_EQ(scene.victim.ask("stop"), "stopped");

        is_over = true;
        liar.join();
    });
}
