// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// One loop that fails each allocation in turn over all calls that can allocate. A program is run
// again and again; in its n-th run the n-th allocation fails. The call in which that happens must
// say so, change nothing and succeed when repeated; at the end nothing may be left behind. A
// program of its own, for failing_new.cpp replaces the operators new and delete.

#include "support/handles.hpp"
#include "unit/codes/failing_new.hpp"

#include <doca_argp.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_log.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using softdoca::test::must;
using softdoca::test::new_counts;

/// What the runs, each a process, tell the loop.
struct Report {
    struct Step {
        const char *call; ///< all runs are copies of one process: the same in each
        int num_failures;
        int num_silent; ///< failures of which the log says nothing
    };
    std::array<Step, 96> steps;
    std::size_t num_steps;
    long num_blocks; ///< left at the end of the run
    bool has_failed;
};

Report &report()
{
    static auto *const kShared = static_cast<Report *>(
        ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    return *kShared;
}

/// What the library says at ERROR goes to a file in memory: to stderr, until there are backends.
int log_file = -1;

int num_log_lines()
{
    std::array<char, 65536> text;
    const ssize_t len = ::pread(log_file, text.data(), text.size(), 0);
    return static_cast<int>(
        std::count(text.begin(), text.begin() + std::max(len, ssize_t{0}), '\n'));
}

/// Makes the call; if an allocation fails in it, looks at what it says and has done, and makes it
/// again.
template <typename Call, typename Unchanged>
void step(const char *text, Call call, doca_error_t code, Unchanged is_unchanged)
{
    Report::Step &own = report().steps[report().num_steps++];
    own.call = text;
    const auto counted_call = [&] {
        new_counts.has_failed = false;
        new_counts.is_counting = true;
        const doca_error_t result = call();
        new_counts.is_counting = false;
        return result;
    };

    const int num_lines_before = num_log_lines();
    doca_error_t result = counted_call();
    if (new_counts.has_failed) {
        ++own.num_failures;
        report().has_failed = true;
        EXPECT_EQ(result, code) << text;
        own.num_silent += num_log_lines() == num_lines_before ? 1 : 0;
        EXPECT_TRUE(is_unchanged()) << text << " left something behind";
        result = counted_call();
    }
    EXPECT_EQ(result, DOCA_SUCCESS) << text;
}

/// A call that allocates, what it says if it cannot, and what holds if it has done nothing.
#define EXPECT_OUT_OF_MEMORY(call, code, unchanged)                                                \
    step(                                                                                          \
        #call, [&] { return call; }, code, [&] { return unchanged; })

// ---- The program ----

void on_task(doca_dma_task_memcpy *, doca_data, doca_data) {}
void on_flush(char *) {}

doca_ctx_states state_of(const doca_ctx *ctx)
{
    doca_ctx_states state = DOCA_CTX_STATE_RUNNING;
    must(doca_ctx_get_state(ctx, &state));
    return state;
}

std::uint32_t num_elements(const doca_buf_inventory *inventory)
{
    std::uint32_t num = 0;
    must(doca_buf_inventory_get_num_elements(inventory, &num));
    return num;
}

void use_log()
{
    char text[8192];
    doca_log_backend *file = nullptr, *fd = nullptr, *buf = nullptr, *syslog = nullptr;
    doca_log_backend *sdk_file = nullptr, *sdk_fd = nullptr, *sdk_buf = nullptr;
    doca_log_backend *sdk_syslog = nullptr;
    int source = -1;
    std::FILE *const null = std::fopen("/dev/null", "w");

    EXPECT_OUT_OF_MEMORY(doca_log_register_source("A::SOURCE", &source), DOCA_ERROR_NO_MEMORY,
                         source == -1);
    EXPECT_OUT_OF_MEMORY(doca_log_backend_create_with_file(null, &file), DOCA_ERROR_NO_MEMORY,
                         file == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_log_backend_create_with_fd(::fileno(null), &fd), DOCA_ERROR_NO_MEMORY,
                         fd == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_log_backend_create_with_buf(text, sizeof text, on_flush, &buf),
                         DOCA_ERROR_NO_MEMORY, buf == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_log_backend_create_with_syslog("name", &syslog), DOCA_ERROR_NO_MEMORY,
                         syslog == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_log_backend_create_with_fd_sdk(log_file, &sdk_fd),
                         DOCA_ERROR_NO_MEMORY, sdk_fd == nullptr);
    must(doca_log_backend_set_sdk_level(sdk_fd, DOCA_LOG_LEVEL_ERROR));
    EXPECT_OUT_OF_MEMORY(doca_log_backend_create_with_file_sdk(null, &sdk_file),
                         DOCA_ERROR_NO_MEMORY, sdk_file == nullptr);
    EXPECT_OUT_OF_MEMORY(
        doca_log_backend_create_with_buf_sdk(text, sizeof text, on_flush, &sdk_buf),
        DOCA_ERROR_NO_MEMORY, sdk_buf == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_log_backend_create_with_syslog_sdk("name", &sdk_syslog),
                         DOCA_ERROR_NO_MEMORY, sdk_syslog == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_log_backend_create_standard(), DOCA_ERROR_NO_MEMORY, true);
    for (doca_log_backend *backend : {sdk_file, sdk_buf, sdk_syslog})
        must(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE));
}

void use_reps(doca_dev *dev)
{
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    doca_dev_rep *rep = nullptr;

    EXPECT_OUT_OF_MEMORY(
        doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num),
        DOCA_ERROR_NO_MEMORY, list == nullptr && num == 0);
    EXPECT_OUT_OF_MEMORY(doca_dev_rep_open(list[0], &rep), DOCA_ERROR_NO_MEMORY, rep == nullptr);

    must(doca_dev_rep_close(rep));
    must(doca_devinfo_rep_destroy_list(list));
}

void use_memory(doca_dev *dev)
{
    alignas(64) static char memory[4096];
    doca_mmap *mmap = nullptr;
    doca_buf_inventory *inventory = nullptr;
    doca_buf_pool *pool = nullptr;

    EXPECT_OUT_OF_MEMORY(doca_mmap_create(&mmap), DOCA_ERROR_NO_MEMORY, mmap == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_mmap_add_dev(mmap, dev), DOCA_ERROR_NO_MEMORY,
                         doca_mmap_rm_dev(mmap, dev) == DOCA_ERROR_NOT_FOUND);
    must(doca_mmap_set_memrange(mmap, memory, sizeof memory));
    EXPECT_OUT_OF_MEMORY(doca_buf_inventory_create(8, &inventory), DOCA_ERROR_NO_MEMORY,
                         inventory == nullptr);
    must(doca_buf_inventory_start(inventory));
    EXPECT_OUT_OF_MEMORY(doca_buf_inventory_expand(inventory, 8), DOCA_ERROR_NO_MEMORY,
                         num_elements(inventory) == 8);
    EXPECT_OUT_OF_MEMORY(doca_buf_pool_create(8, 64, mmap, &pool), DOCA_ERROR_NO_MEMORY,
                         pool == nullptr);

    must(doca_buf_pool_destroy(pool));
    must(doca_buf_inventory_destroy(inventory));
    must(doca_mmap_destroy(mmap));
}

void use_dma(doca_dev *dev)
{
    doca_pe *pe = nullptr;
    doca_dma *dma = nullptr;

    EXPECT_OUT_OF_MEMORY(doca_pe_create(&pe), DOCA_ERROR_NO_MEMORY, pe == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_dma_create(dev, &dma), DOCA_ERROR_NO_MEMORY, dma == nullptr);
    doca_ctx *const ctx = doca_dma_as_ctx(dma);
    must(doca_dma_task_memcpy_set_conf(dma, on_task, on_task, 16));
    must(doca_pe_connect_ctx(pe, ctx));
    EXPECT_OUT_OF_MEMORY(doca_ctx_start(ctx), DOCA_ERROR_INITIALIZATION,
                         state_of(ctx) == DOCA_CTX_STATE_IDLE);
    must(doca_ctx_stop(ctx));
    must(doca_dma_task_memcpy_set_conf(dma, on_task, on_task, 32));
    EXPECT_OUT_OF_MEMORY(doca_ctx_start(ctx), DOCA_ERROR_INITIALIZATION,
                         state_of(ctx) == DOCA_CTX_STATE_IDLE);

    must(doca_ctx_stop(ctx));
    must(doca_dma_destroy(dma));
    must(doca_pe_destroy(pe));
}

/// Names that no string holds without an allocation.
void use_comch(doca_dev *dev)
{
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    doca_dev_rep *rep = nullptr;
    doca_comch_server *server = nullptr;
    doca_comch_client *client = nullptr;
    must(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num));
    must(doca_dev_rep_open(list[0], &rep));
    must(doca_devinfo_rep_destroy_list(list));

    EXPECT_OUT_OF_MEMORY(doca_comch_server_create(dev, rep, "a service of a long name", &server),
                         DOCA_ERROR_NO_MEMORY, server == nullptr);
    EXPECT_OUT_OF_MEMORY(doca_comch_client_create(dev, "a service of a long name", &client),
                         DOCA_ERROR_NO_MEMORY, client == nullptr);

    must(doca_comch_client_destroy(client));
    must(doca_comch_server_destroy(server));
    must(doca_dev_rep_close(rep));
}

void use_devices()
{
    doca_devinfo **list = nullptr;
    std::uint32_t num = 0;
    doca_dev *dev = nullptr;

    EXPECT_OUT_OF_MEMORY(doca_devinfo_create_list(&list, &num), DOCA_ERROR_NO_MEMORY,
                         list == nullptr && num == 0);
    EXPECT_OUT_OF_MEMORY(doca_dev_open(list[0], &dev), DOCA_ERROR_NO_MEMORY, dev == nullptr);
    must(doca_devinfo_destroy_list(list));
    use_reps(dev);
    use_memory(dev);
    use_dma(dev);
    use_comch(dev);

    must(doca_dev_close(dev));
}

// ---- Its command line ----

int num_callbacks = 0;

doca_error_t on_value(void *, void *)
{
    ++num_callbacks;
    return DOCA_SUCCESS;
}

doca_error_t on_device(void *value, void *)
{
    return doca_dev_close(static_cast<doca_argp_device_ctx *>(value)->dev);
}

doca_error_t on_rep(void *value, void *)
{
    const auto *const rep = static_cast<doca_argp_device_rep_ctx *>(value);
    const doca_error_t result = doca_dev_rep_close(rep->dev_rep);
    return result == DOCA_SUCCESS ? doca_dev_close(rep->dev_ctx.dev) : result;
}

/// Makes each text longer than what a string holds without an allocation.
#define LONG "-that-is-long-enough"

/// Registers a parameter anew: what could not be registered was taken all the same. A setter
/// cannot say that it failed, so the registration does.
doca_error_t register_param(const char *long_name, doca_argp_type type,
                            doca_argp_param_cb_t callback, doca_argp_cmd *cmd = nullptr)
{
    doca_argp_param *param = nullptr;
    if (const doca_error_t result = doca_argp_param_create(&param); result != DOCA_SUCCESS)
        return result;
    doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_short_name(param, long_name + 1);
    doca_argp_param_set_description(param, "a description" LONG);
    doca_argp_param_set_arguments(param, "arguments" LONG);
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    return cmd == nullptr ? doca_argp_register_param(param)
                          : doca_argp_cmd_register_param(cmd, param);
}

doca_error_t create_cmd(const char *name, doca_argp_cmd **cmd)
{
    if (const doca_error_t result = doca_argp_cmd_create(cmd); result != DOCA_SUCCESS)
        return result;
    doca_argp_cmd_set_name(*cmd, name);
    doca_argp_cmd_set_description(*cmd, "a description" LONG);
    return DOCA_SUCCESS;
}

/// A command with a parameter and a command of its own.
doca_error_t register_cmds()
{
    doca_argp_cmd *outer = nullptr;
    doca_argp_cmd *inner = nullptr;
    doca_error_t result = create_cmd("outer" LONG, &outer);
    if (result != DOCA_SUCCESS)
        return result;
    result = register_param("number" LONG, DOCA_ARGP_TYPE_INT, on_value, outer);
    if (result == DOCA_SUCCESS)
        result = create_cmd("inner" LONG, &inner);
    if (result == DOCA_SUCCESS)
        result = doca_argp_cmd_register_cmd(outer, inner);
    if (result == DOCA_SUCCESS)
        return doca_argp_register_cmd(outer);
    must(doca_argp_cmd_destroy(outer));
    return result;
}

/// A line for a program that was given these parameters.
doca_error_t start(std::initializer_list<const char *> words)
{
    std::array<char *, 16> argv{};
    std::transform(words.begin(), words.end(), argv.begin(),
                   [](const char *word) { return const_cast<char *>(word); });
    num_callbacks = 0;
    return doca_argp_start(static_cast<int>(words.size()), argv.data());
}

/// A JSON file that lives in memory.
const char *json_file()
{
    static char path[64];
    const int file = ::memfd_create("json", 0);
    must(::dprintf(file, R"({ "doca_program_flags": { "text%s": "a text%s", "real%s": 1.5 } })",
                   LONG, LONG, LONG) > 0
             ? DOCA_SUCCESS
             : DOCA_ERROR_IO_FAILED);
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

void use_argp()
{
    const char *const json = json_file();
    doca_argp_param *param = nullptr;
    doca_argp_cmd *cmd = nullptr;

    EXPECT_OUT_OF_MEMORY(doca_argp_init("a-program" LONG, nullptr), DOCA_ERROR_NO_MEMORY,
                         doca_argp_destroy() == DOCA_ERROR_BAD_STATE);
    EXPECT_OUT_OF_MEMORY(doca_argp_param_create(&param), DOCA_ERROR_NO_MEMORY, param == nullptr);
    must(doca_argp_param_destroy(param));
    EXPECT_OUT_OF_MEMORY(doca_argp_cmd_create(&cmd), DOCA_ERROR_NO_MEMORY, cmd == nullptr);
    must(doca_argp_cmd_destroy(cmd));
    EXPECT_OUT_OF_MEMORY(register_param("number" LONG, DOCA_ARGP_TYPE_INT, on_value),
                         DOCA_ERROR_NO_MEMORY, true);
    EXPECT_OUT_OF_MEMORY(register_param("text" LONG, DOCA_ARGP_TYPE_STRING, on_value),
                         DOCA_ERROR_NO_MEMORY, true);
    EXPECT_OUT_OF_MEMORY(register_param("real" LONG, DOCA_ARGP_TYPE_DOUBLE, on_value),
                         DOCA_ERROR_NO_MEMORY, true);
    EXPECT_OUT_OF_MEMORY(register_cmds(), DOCA_ERROR_NO_MEMORY, true);
    EXPECT_OUT_OF_MEMORY(start({"prog", "-j", json, "--number" LONG, "1", "outer" LONG,
                                "--number" LONG, "2", "inner" LONG}),
                         DOCA_ERROR_NO_MEMORY, num_callbacks == 0);
    EXPECT_EQ(num_callbacks, 4);

    must(doca_argp_destroy());
}

void use_argp_for_devices()
{
    must(doca_argp_init("prog", nullptr));
    EXPECT_OUT_OF_MEMORY(register_param("device" LONG, DOCA_ARGP_TYPE_DEVICE, on_device),
                         DOCA_ERROR_NO_MEMORY, true);
    EXPECT_OUT_OF_MEMORY(register_param("rep" LONG, DOCA_ARGP_TYPE_DEVICE_REP, on_rep),
                         DOCA_ERROR_NO_MEMORY, true);
    EXPECT_OUT_OF_MEMORY(start({"prog", "--device" LONG, "pci/0000:03:00.0,arguments" LONG,
                                "--rep" LONG, "pci/0000:03:00.1,pf1hpf,arguments" LONG}),
                         DOCA_ERROR_NO_MEMORY, true);

    must(doca_argp_destroy());
}

void use_argp_for_dpdk()
{
    must(doca_argp_init("prog", nullptr));
    doca_argp_set_dpdk_program([](int, char **) { return DOCA_SUCCESS; });
    EXPECT_OUT_OF_MEMORY(start({"prog", "-a", "a-device" LONG, "--", "-l", "50"}),
                         DOCA_ERROR_NO_MEMORY, true);

    must(doca_argp_destroy());
}

// ---- The loop ----

/// Runs the program in a process in which no call was made before, so that what is made at the
/// first call is made again; number -1 fails nothing.
bool run(long number_that_fails)
{
    report().num_steps = 0;
    report().has_failed = false;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        new_counts.countdown = number_that_fails;
        ::unsetenv("SOFTDOCA_QUIET");
        ::unsetenv("SOFTDOCA_LOG");
        log_file = ::memfd_create("log", 0);
        ::fcntl(log_file, F_SETFL, O_APPEND);
        ::dup2(log_file, STDERR_FILENO);
        use_log();
        use_devices();
        use_argp();
        use_argp_for_devices();
        use_argp_for_dpdk();
        report().num_blocks = new_counts.num_blocks;
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The loop, once for all tests.
class AllocationFailure : public testing::Test {
protected:
    static void SetUpTestSuite()
    {
        ASSERT_TRUE(run(-1));
        const long num_blocks_left = report().num_blocks; // log sources, the topology, devices
        do {
            if (!run(num_allocations_))
                failed_.push_back(num_allocations_);
            else if (report().num_blocks != num_blocks_left)
                leaking_.push_back(num_allocations_);
        } while (report().has_failed && ++num_allocations_ < 10000);
    }

    static inline long num_allocations_ = 0;
    static inline std::vector<long> failed_;
    static inline std::vector<long> leaking_;
};

} // namespace

TEST_F(AllocationFailure, EachCallSaysSoChangesNothingAndSucceedsWhenRepeated)
{
    EXPECT_EQ(failed_, std::vector<long>());
    RecordProperty("num_allocations", static_cast<int>(num_allocations_));
}

TEST_F(AllocationFailure, NothingIsLeftBehind)
{
    EXPECT_EQ(leaking_, std::vector<long>());
}

TEST_F(AllocationFailure, EachCallFailsAtLeastOnce)
{
    EXPECT_FALSE(report().has_failed) << "the last run needed no more failing";
    for (std::size_t i = 0; i < report().num_steps; ++i)
        EXPECT_GT(report().steps[i].num_failures, 0) << report().steps[i].call;
}

TEST_F(AllocationFailure, EachRefusalIsLogged)
{
    for (std::size_t i = 0; i < report().num_steps; ++i)
        EXPECT_EQ(report().steps[i].num_silent, 0) << report().steps[i].call;
}
