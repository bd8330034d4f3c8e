// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model/context.hpp"

#include "base/api_guard.hpp"
#include "base/never_destroyed.hpp"
#include "base/process.hpp"
#include "common/log_world.hpp"
#include "model/fault.hpp"

#include <doca_buf_inventory.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

LOG_SOURCE("MODEL::CONTEXT");

namespace softdoca {

constinit ForkSafeLock model_lock;

namespace {

constinit NeverDestroyed<std::shared_ptr<ModelContext>> the_context; // under model_lock

/// The fork depth of the process that made the Context, plus 1; 0: there is none. Sequentially
/// consistent, and read without the lock. While it is set the_context is whole, also in a child
/// that was forked by another thread.
constinit std::atomic<std::uint32_t> owner{0};

doca_error_t refuse_second() noexcept
{
    return LOG_REFUSED(DOCA_ERROR_ALREADY_EXIST, nullptr,
                       "doca_ctx_create: this process has a Context, and may have one at a time; "
                       "use that, or call doca_ctx_destroy first");
}

/// Makes it the Context of the process, unless there is one.
bool install(const std::shared_ptr<ModelContext> &made) noexcept
{
    const std::scoped_lock lock(model_lock);
    if (the_context.value != nullptr)
        return false;
    the_context.value = made;
    made->set_live(true);
    owner.store(fork_depth + 1);
    return true;
}

doca_error_t create_context(doca_ctx **out)
{
    if (live_context() != nullptr)
        return refuse_second();
    if (const doca_error_t bad = softdoca_model_init(); bad != DOCA_SUCCESS)
        return bad;
    std::shared_ptr<ModelContext> made;
    if (const doca_error_t bad = ModelContext::make(made); bad != DOCA_SUCCESS)
        return bad;
    if (!install(made))
        return refuse_second();
    LOG_INF("context %p created", static_cast<void *>(made.get()));
    *out = made.get();
    return DOCA_SUCCESS;
}

/// A Context that ends, and what it had when it was taken.
struct Ending {
    std::shared_ptr<ModelContext> context; // nullptr: it stays
    bool is_found = false;
    std::size_t num_devices = 0, num_mems = 0, num_bufs = 0;
    const char *first_device = "";
};

/// Takes the Context from the process, if it may end.
Ending take_context(const doca_ctx *ctx) noexcept
{
    Ending ending;
    const std::scoped_lock lock(model_lock);
    ModelContext *const context = the_context.value.get();
    ending.is_found = context != nullptr && context == ctx;
    if (!ending.is_found)
        return ending;
    ending.num_devices = context->num_open_devices();
    ending.num_mems = context->num_mems();
    ending.num_bufs = context->num_bufs();
    ending.first_device = context->name_of_first_device();
    if (ending.num_devices == 0 || context->may_dangle()) {
        context->set_live(false);
        owner.store(0);
        ending.context = std::exchange(the_context.value, nullptr);
    }
    return ending;
}

/// After all static objects of the program are gone, and so without those that release themselves.
[[gnu::destructor]] void list_alive_at_exit()
{
    if (owner.load() != fork_depth + 1)
        return;
    const std::shared_ptr<ModelContext> context = live_context();
    if (context == nullptr)
        return;
    (void)api_guard(LOG_SITE, "exit", [&] {
        context->list_alive();
        return DOCA_SUCCESS;
    });
}

} // namespace

std::shared_ptr<ModelContext> live_context() noexcept
{
    const std::scoped_lock lock(model_lock);
    return the_context.value;
}

std::shared_ptr<ModelContext> live_context(const doca_ctx *ctx) noexcept
{
    std::shared_ptr<ModelContext> context = live_context();
    return context.get() == ctx ? context : nullptr;
}

bool is_own_process() noexcept
{
    const std::uint32_t depth = owner.load();
    return depth == 0 || depth == fork_depth + 1;
}

doca_error_t check_own_process(LogSite site, const char *call) noexcept
{
    if (is_own_process()) [[likely]]
        return DOCA_SUCCESS;
    return log_refusal(site, DOCA_ERROR_BAD_STATE, call,
                       "%s: the Context was made before this process was forked; only the parent "
                       "may use it (create it after the fork, or exec)",
                       call);
}

doca_error_t refuse_dead(LogSite site, const char *call, const char *kind,
                         const void *handle) noexcept
{
    return log_refusal(site, DOCA_ERROR_INVALID_VALUE, handle,
                       "%s: %s %p is not alive: it was released, or the model never made it", call,
                       kind, handle);
}

doca_error_t check_not_null(LogSite site, const char *call, const char *what,
                            const void *pointer) noexcept
{
    if (pointer == nullptr) [[unlikely]]
        return log_refusal(site, DOCA_ERROR_INVALID_VALUE, call, "%s: %s is NULL", call, what);
    return DOCA_SUCCESS;
}

doca_error_t ModelContext::make(std::shared_ptr<ModelContext> &out)
{
    auto made = std::make_shared<ModelContext>(read_model_settings());
    const doca_error_t result = made->acquire();
    if (result == DOCA_SUCCESS)
        out = std::move(made);
    return result;
}

ModelContext::ModelContext(const ModelSettings &settings)
    : doca_ctx("context"), settings_(settings), pcap_(settings.pcap_path)
{
    set_pe(engine);
    bufs_.reserve(std::min<std::uint32_t>(settings.max_num_bufs, 1024));
}

doca_error_t ModelContext::acquire()
{
    const doca_error_t result = doca_devinfo_create_list(&devinfos_, &num_devinfos_);
    if (result != DOCA_SUCCESS &&
        result != DOCA_ERROR_NOT_FOUND) // without devices: it has said why
        return result;
    const std::size_t num_bufs = std::max<std::uint32_t>(settings_.max_num_bufs, 1);
    if (const doca_error_t bad = doca_buf_inventory_create(num_bufs, &inventory_);
        bad != DOCA_SUCCESS)
        return bad;
    return doca_buf_inventory_start(inventory_);
}

/// Against creation. What an object of the program still uses is not released: the call that would
/// do it refuses, and says so.
ModelContext::~ModelContext()
{
    release_bufs();
    for (const auto &[handle, mem] : mems_)
        (void)doca_mmap_destroy(mem->mmap);
    for (const OpenDevice &device : devices_)
        for (std::uint32_t i = 0; i < device.num_opens; ++i)
            (void)doca_dev_close(device.dev);
    if (is_running_)
        (void)stop();
    if (inventory_ != nullptr)
        (void)doca_buf_inventory_destroy(inventory_);
    if (devinfos_ != nullptr)
        (void)doca_devinfo_destroy_list(devinfos_);
}

doca_error_t ModelContext::check_driven_by_program(const char *call) const noexcept
{
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, this,
                       "%s: context %p belongs to the model (softdoca/model.h), which moves it by "
                       "itself: it is RUNNING while a Device is open (doca_dev_open)",
                       call, static_cast<const void *>(this));
}

bool ModelContext::has_devinfo(const doca_devinfo *info) const noexcept
{
    const std::span devinfos(devinfos_, num_devinfos_);
    return std::ranges::find(devinfos, info) != devinfos.end();
}

doca_devinfo *ModelContext::first_devinfo() const noexcept
{
    const std::span devinfos(devinfos_, num_devinfos_);
    const auto found = std::ranges::find_if(devinfos, [](const doca_devinfo *each) {
        return !each->device->function.iface_name.empty();
    });
    return found == devinfos.end() ? nullptr : *found;
}

doca_devinfo *ModelContext::next_devinfo(const doca_devinfo *info) const noexcept
{
    const std::span devinfos(devinfos_, num_devinfos_);
    const auto next = std::ranges::find(devinfos, info) + 1;
    return next == devinfos.end() ? nullptr : *next;
}

std::size_t ModelContext::num_open_devices() const noexcept
{
    return static_cast<std::size_t>(std::ranges::count_if(
        devices_, [](const OpenDevice &device) { return device.num_opens > 0; }));
}

std::size_t ModelContext::num_bufs() const noexcept
{
    return static_cast<std::size_t>(std::ranges::count_if(
        bufs_, [](const auto &entry) { return entry.first->refcount() != 0; }));
}

const char *ModelContext::name_of_first_device() const noexcept
{
    const auto found = std::ranges::find_if(
        devices_, [](const OpenDevice &device) { return device.num_opens > 0; });
    return found == devices_.end() ? "" : found->dev->name();
}

/// One thread at a time moves the state, without the lock, since moves are logged; who finds that
/// one is at it leaves it to him.
void ModelContext::settle() noexcept
{
    std::unique_lock lock(model_lock);
    if (is_settling_)
        return;
    is_settling_ = true;
    while (is_running_ != (num_open_devices() > 0)) {
        is_running_ = !is_running_;
        const bool starts = is_running_;
        lock.unlock();
        (void)(starts ? start() : stop());
        lock.lock();
    }
    is_settling_ = false;
}

void ModelContext::list_alive()
{
    std::vector<std::string> lines;
    const auto add = [&lines](const char *format, auto... values) {
        char text[200];
        std::snprintf(text, sizeof text, format, values...);
        lines.emplace_back(text);
    };
    {
        const std::scoped_lock lock(model_lock);
        for (const auto &[handle, mem] : mems_) {
            const std::uint32_t num = mem->num_bufs();
            add("memory %p (%zu bytes) with %u buffer%s (doca_buf_destroy, doca_mem_unreg)",
                static_cast<const void *>(handle), mem->len, num, num == 1 ? "" : "s");
        }
        for (const OpenDevice &device : devices_)
            if (device.num_opens > 0)
                add("device %s, opened %u time%s (doca_dev_close)", device.dev->name(),
                    device.num_opens, device.num_opens == 1 ? "" : "s");
        add("context %p (doca_ctx_destroy)", static_cast<const void *>(this));
    }
    for (const std::string &line : lines)
        LOG_INF("at exit still alive: %s", line.c_str());
}

} // namespace softdoca

using softdoca::check_not_null;
using softdoca::check_own_process;
using softdoca::live_context;
using softdoca::ModelContext;
using softdoca::refuse_dead;

extern "C" doca_error_t softdoca_model_init()
{
    return softdoca::has_application_backend() ? DOCA_SUCCESS : doca_log_backend_create_standard();
}

extern "C" doca_error_t softdoca_model_ctx_create(doca_ctx **ctx)
{
    static constexpr char kCall[] = "doca_ctx_create";
    if (const doca_error_t bad = check_not_null(LOG_SITE, kCall, "ctx", ctx); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_own_process(LOG_SITE, kCall); bad != DOCA_SUCCESS)
        return bad;
    softdoca::read_model_faults();
    if (const doca_error_t fault = softdoca::model_fault(softdoca::FaultPoint::create);
        fault != DOCA_SUCCESS)
        return fault;
    return softdoca::api_guard(LOG_SITE, kCall, [&] { return softdoca::create_context(ctx); });
}

extern "C" doca_ctx *softdoca_model_ctx_create_or_null()
{
    doca_ctx *ctx = nullptr;
    return softdoca_model_ctx_create(&ctx) == DOCA_SUCCESS ? ctx : nullptr;
}

namespace {

/// The library's errors and warnings go to stderr unasked; from now on all up to the level do.
void keep_sdk_on_stderr() noexcept
{
    doca_log_backend *backend = nullptr;
    if (softdoca::log_is_unasked())
        (void)doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
}

} // namespace

extern "C" doca_error_t softdoca_model_ctx_set_log_level(doca_ctx *ctx, uint32_t level)
{
    static constexpr char kCall[] = "doca_ctx_set_log_level";
    if (const doca_error_t bad = check_not_null(LOG_SITE, kCall, "ctx", ctx); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_own_process(LOG_SITE, kCall); bad != DOCA_SUCCESS)
        return bad;
    if (live_context(ctx) == nullptr)
        return refuse_dead(LOG_SITE, kCall, "context", ctx);
    if (const doca_error_t bad = doca_log_level_set_global_lower_limit(level); bad != DOCA_SUCCESS)
        return bad;
    const doca_error_t result = doca_log_level_set_global_sdk_limit(level);
    keep_sdk_on_stderr(); // last: the backend begins with that limit
    return result;
}

extern "C" doca_error_t softdoca_model_ctx_destroy(doca_ctx *ctx)
{
    static constexpr char kCall[] = "doca_ctx_destroy";
    if (ctx == nullptr)
        return DOCA_SUCCESS;
    if (const doca_error_t bad = check_own_process(LOG_SITE, kCall); bad != DOCA_SUCCESS)
        return bad;
    const auto *const handle = static_cast<const void *>(ctx);
    const softdoca::Ending ending = softdoca::take_context(ctx);
    if (!ending.is_found)
        return refuse_dead(LOG_SITE, kCall, "context", handle);
    if (ending.context == nullptr)
        return LOG_REFUSED(DOCA_ERROR_IN_USE, handle,
                           "context %p still has %zu open device%s (%s%s); call doca_dev_close "
                           "first",
                           handle, ending.num_devices, ending.num_devices == 1 ? "" : "s",
                           ending.first_device, ending.num_devices == 1 ? "" : ", ...");
    if (ending.num_devices > 0)
        LOG_WRN("context %p is destroyed while %zu devices, %zu memories and %zu buffers are alive "
                "(SOFTDOCA_MODEL_ORDER=dangle): their handles are dead from now on; release "
                "children first",
                handle, ending.num_devices, ending.num_mems, ending.num_bufs);
    else
        LOG_INF("context %p destroyed", handle);
    return DOCA_SUCCESS; // and the Context goes, if no other thread is in a call on it
}

extern "C" doca_devinfo *softdoca_model_devinfo_get_first(const doca_ctx *ctx)
{
    static constexpr char kCall[] = "doca_devinfo_get_first";
    if (check_not_null(LOG_SITE, kCall, "ctx", ctx) != DOCA_SUCCESS ||
        check_own_process(LOG_SITE, kCall) != DOCA_SUCCESS)
        return nullptr;
    const std::shared_ptr<ModelContext> context = live_context(ctx);
    if (context == nullptr) {
        (void)refuse_dead(LOG_SITE, kCall, "context", ctx);
        return nullptr;
    }
    return context->first_devinfo();
}

extern "C" doca_devinfo *softdoca_model_devinfo_next(const doca_ctx *ctx, const doca_devinfo *info)
{
    if (check_not_null(LOG_SITE, __func__, "ctx", ctx) != DOCA_SUCCESS ||
        check_not_null(LOG_SITE, __func__, "info", info) != DOCA_SUCCESS ||
        check_own_process(LOG_SITE, __func__) != DOCA_SUCCESS)
        return nullptr;
    const std::shared_ptr<ModelContext> context = live_context(ctx);
    if (context == nullptr) {
        (void)refuse_dead(LOG_SITE, __func__, "context", ctx);
        return nullptr;
    }
    if (!context->has_devinfo(info)) {
        (void)refuse_dead(LOG_SITE, __func__, "devinfo", info);
        return nullptr;
    }
    return context->next_devinfo(info);
}
