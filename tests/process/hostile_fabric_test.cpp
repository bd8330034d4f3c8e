// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Fabric directories that somebody else has prepared, and files in them that no process of ours
// makes.

#include "support/raw_peer.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace softdoca::test;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSize = 4096;

std::string fabric()
{
    return std::getenv("SOFTDOCA_FABRIC");
}

/// The code of an export in a process that has not used the fabric before.
doca_error_t export_code()
{
    Exported own(Via::cross, kSize);
    const void *descriptor = nullptr;
    std::size_t len = 0;
    return doca_mmap_export_pci(own.mmap, own.device, &descriptor, &len);
}

/// A directory prepared in some way must be refused.
void expect_refused(const std::function<void(const std::string &path)> &prepare)
{
    on_stage([&] {
        const std::string path = fabric() + "/own";
        prepare(path);
        ::setenv("SOFTDOCA_FABRIC", path.c_str(), 1);
        EXPECT_EQ(export_code(), DOCA_ERROR_DRIVER);
        fs::remove_all(fs::path(path).parent_path() / "elsewhere");
        fs::remove_all(path);
    });
}

void make_directory(const std::string &path, mode_t mode)
{
    ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

} // namespace

TEST(HostileFabric, ALink)
{
    expect_refused([](const std::string &path) {
        const std::string elsewhere = fs::path(path).parent_path() / "elsewhere";
        make_directory(elsewhere, 0700);
        fs::create_directory_symlink(elsewhere, path);
    });
}

TEST(HostileFabric, ALinkForProcesses)
{
    expect_refused([](const std::string &path) {
        const std::string elsewhere = fs::path(path).parent_path() / "elsewhere";
        make_directory(elsewhere, 0700);
        make_directory(path, 0700);
        fs::create_directory_symlink(elsewhere, path + "/p");
    });
}

TEST(HostileFabric, OpenToAll)
{
    for (const mode_t mode : {0777u, 0770u, 0755u, 0701u})
        expect_refused([mode](const std::string &path) { make_directory(path, mode); });
    expect_refused([](const std::string &path) {
        make_directory(path, 0700);
        make_directory(path + "/p", 0777);
    });
}

TEST(HostileFabric, AFile)
{
    expect_refused([](const std::string &path) { std::ofstream(path) << "no directory"; });
}

TEST(HostileFabric, OfAnotherUser)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root can give a directory away";
    expect_refused([](const std::string &path) {
        make_directory(path, 0700);
        ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    });
}

namespace {

/// Files that no process of ours makes, with names of all kinds.
class OddFiles {
public:
    explicit OddFiles(const std::string &directory) : directory_(directory + "/")
    {
        const std::string id = "0123456789abcdef0123456789abcde";
        write(id + "0", "pid 1\n"); // of a dead process
        ::mkfifo(path(id + "1").c_str(), 0600);
        fs::create_symlink("/etc/passwd", path(id + "2"));
        fs::create_directory(path(id + "3"));
        write(id + "4.sock", "no socket");
        write(id + "5", "");
        fs::resize_file(path(id + "5"), std::uintmax_t{1} << 40);
        fs::create_symlink(path(id + "0"), path(id + "6.sock"));
        for (const char *const name : {"\n", "\x1b[2J", ".\x1b]0;x\a", "-rf", ".0\n1", "%s%n", "x"})
            write(name, "what is this?\n");
        write(std::string(255, 'a'), "");
        write("." + std::string(254, 'b'), "");
        for (const auto &entry : fs::directory_iterator(directory_)) {
            const timespec long_ago[2]{};
            ::utimensat(AT_FDCWD, entry.path().c_str(), long_ago, AT_SYMLINK_NOFOLLOW);
        }
        std::ofstream(fs::path(directory) / "../precious") << "kept";
    }
    ~OddFiles()
    {
        EXPECT_TRUE(fs::exists(directory_ + "../precious"));
        EXPECT_TRUE(fs::exists("/etc/passwd"));
        fs::remove_all(directory_ + "../precious");
        for (const auto &entry : fs::directory_iterator(directory_))
            if (const std::string name = entry.path().filename();
                name.size() < 32 || name.find("0123456789abcdef0123456789abcde") == 0 ||
                name.size() > 200)
                fs::remove_all(entry.path());
    }
    std::string path(const std::string &name) const { return directory_ + name; }

private:
    void write(const std::string &name, const std::string &text) const
    {
        std::ofstream(path(name)) << text;
    }
    std::string directory_;
};

} // namespace

TEST(HostileFabric, OddFilesAreNobody)
{
    on_stage(Via::cross, [] {
        make_directory(fabric() + "/p", 0700);
        {
            const OddFiles odd(fabric() + "/p");
            Exporter peer(Via::cross, kSize);
            Importer importer(1, kSize);
            Import &import = importer.import(peer.line.receive());
            EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);

            const std::string id = "0123456789abcdef0123456789abcde";
            EXPECT_FALSE(fs::exists(odd.path(id + "0"))) << "what a dead process leaves is removed";
            EXPECT_TRUE(fs::exists(odd.path("\x1b[2J"))) << "what is not ours is left alone";
            EXPECT_TRUE(fs::exists(odd.path(id + "1")));
        }
    });
}

/// An exporter whose socket is none, or leads elsewhere.
TEST(HostileFabric, OddFilesInPlaceOfASocket)
{
    on_stage(Via::cross, [] {
        Exporter peer(Via::cross, kSize);
        const std::string bytes = peer.line.receive();
        auto descriptor = raw::Descriptor::parse(bytes);
        Importer importer(1, kSize);
        Import &import = importer.import(bytes);
        descriptor.exporter = std::string(16, '\x11');
        const std::string path = fabric() + "/p/" + raw::name_of(descriptor.exporter) + ".sock";
        const auto expect_refused = [&] {
            EXPECT_EQ(import_code(importer.device, descriptor.bytes()), DOCA_ERROR_DRIVER);
            fs::remove_all(path);
        };
        expect_refused();
        std::ofstream(path) << "no socket";
        expect_refused();
        ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
        expect_refused();
        fs::create_directory(path);
        expect_refused();
        fs::create_symlink("/dev/zero", path);
        expect_refused();
        // The socket of another process than the descriptor says.
        fs::create_symlink(fabric() + "/p/" + raw::name_of(raw::Descriptor::parse(bytes).exporter) +
                               ".sock",
                           path);
        expect_refused();
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    });
}
