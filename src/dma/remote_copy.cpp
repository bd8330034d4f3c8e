// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "dma/remote_copy.hpp"

#include "base/api_guard.hpp"
#include "common/ctx.hpp"
#include "fabric/local_process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

LOG_SOURCE("DMA::REMOTE");

namespace softdoca {

namespace {

constexpr std::size_t kBounceSize = 256 * 1024;
constexpr std::size_t kMaxBatch = 256 * 1024; // bytes of a step that serves several tasks

/// The window if its memory is far, else nullptr.
const Window *far_window(const doca_buf &buf) noexcept
{
    const Window *const window = buf.mmap()->window();
    return window == nullptr || window->route() == Route::mapped ? nullptr : window;
}

std::byte *here(const doca_buf &buf, std::byte *address) noexcept
{
    const Window *const window = buf.mmap()->window();
    return window == nullptr ? address : address + window->distance();
}

const Window *ended_window(const doca_buf *list) noexcept
{
    for (; list != nullptr; list = list->next())
        if (const Window *const window = list->mmap()->window();
            window != nullptr && !window->is_valid())
            return window;
    return nullptr;
}

bool needs_fence(const doca_buf *list) noexcept
{
    for (; list != nullptr; list = list->next())
        if (const Window *const window = list->mmap()->window();
            window != nullptr && window->needs_fence())
            return true;
    return false;
}

} // namespace

bool RemoteCopy::has_mark() noexcept
{
    if (mark_.is_acquired()) [[likely]]
        return true;
    return api_guard(LOG_SITE, "a copy", [this] {
               return mark_.acquire(LocalProcess::get()->page()) ? DOCA_SUCCESS
                                                                 : DOCA_ERROR_NO_MEMORY;
           }) == DOCA_SUCCESS;
}

RemoteCopy::Outcome RemoteCopy::fail(RemoteFault::Cause cause, int error) noexcept
{
    fault_.cause = cause;
    fault_.window = step_.window;
    fault_.error = error;
    if (step_.window != nullptr && !step_.window->is_valid())
        fault_.cause = RemoteFault::Cause::window_ended; // the reason behind all others
    abandon();
    return Outcome::failed;
}

bool RemoteCopy::copy_near(const doca_buf *src, doca_buf *dst, std::uint64_t num_bytes,
                           CopyEngine &engine) noexcept
{
    if (!has_mark()) {
        fault_ = {RemoteFault::Cause::no_resources};
        return false;
    }
    const auto ended = [&] {
        const Window *const window = ended_window(src);
        return window != nullptr ? window : ended_window(dst);
    };
    mark_.begin(needs_fence(src) || needs_fence(dst));
    const Window *gone = ended();
    if (gone == nullptr) {
        engine.copy_stream(src, dst, num_bytes);
        std::atomic_thread_fence(std::memory_order_acquire); // the copy, then the second look
        gone = ended();
    }
    mark_.end();
    if (gone != nullptr) {
        fault_ = {RemoteFault::Cause::window_ended, gone};
        return false;
    }
    CopyEngine::add_data(dst, num_bytes);
    return true;
}

RemoteCopy::Outcome RemoteCopy::copy(doca_pe &pe, const doca_task &task, std::uint64_t num_bytes,
                                     const TaskQueue &queue) noexcept
{
    Outcome outcome = Outcome::failed;
    const doca_error_t result = api_guard(LOG_SITE, "a copy", [&] {
        outcome = copy_guarded(pe, task, num_bytes, queue);
        return DOCA_SUCCESS;
    });
    return result == DOCA_SUCCESS ? outcome : fail(RemoteFault::Cause::no_resources);
}

RemoteCopy::Outcome RemoteCopy::copy_guarded(doca_pe &pe, const doca_task &task,
                                             std::uint64_t num_bytes, const TaskQueue &queue)
{
    pe_ = &pe;
    if (current_ != &task)
        begin(task, num_bytes);
    num_extra_done_ = 0;
    Outcome outcome = is_waiting_ ? poll_agent() : Outcome::done;
    if (outcome == Outcome::done)
        outcome = go_on(queue);
    if (outcome == Outcome::done) {
        CopyEngine::add_data(task.dst(), num_bytes);
        current_ = nullptr;
    }
    return outcome;
}

void RemoteCopy::begin(const doca_task &task, std::uint64_t num_bytes) noexcept
{
    abandon();
    current_ = &task;
    src_ = {task.src(), 0};
    dst_ = {task.dst(), 0};
    num_left_ = num_bytes;
    fault_ = {};
}

RemoteCopy::Outcome RemoteCopy::go_on(const TaskQueue &queue)
{
    while (num_left_ != 0 || num_bounced_ != 0) {
        step_.num = step_.num_own = step_.size = 0;
        step_.window = nullptr;
        if (!build_step())
            return fault_.cause == RemoteFault::Cause::none ? fail(RemoteFault::Cause::no_resources)
                                                            : Outcome::failed;
        if (step_.num == 0)
            continue; // what there was, was near
        step_.num_own = step_.num;
        if (num_left_ == 0 && num_bounced_ == 0)
            add_queued(queue);
        if (const Outcome outcome = execute(); outcome != Outcome::done)
            return outcome;
    }
    return Outcome::done;
}

void RemoteCopy::advance(Cursor &cursor, std::size_t len) noexcept
{
    cursor.offset += len;
}

/// Gathers pieces until the direction changes, the step is full, or all is in it. False: failed.
bool RemoteCopy::build_step()
{
    if (num_bounced_ != 0) {
        add_bounce_write();
        return true;
    }
    while (num_left_ != 0 && step_.num < step_.pieces.size()) {
        while (src_.offset == src_.buf->data_len())
            src_ = {src_.buf->next(), 0};
        while (dst_.offset == dst_.buf->tailroom())
            dst_ = {dst_.buf->next(), 0};
        const std::size_t len = std::min<std::uint64_t>(
            {num_left_, src_.buf->data_len() - src_.offset, dst_.buf->tailroom() - dst_.offset});
        const Window *const from = far_window(*src_.buf);
        const Window *const to = far_window(*dst_.buf);
        if ((from == nullptr) == (to == nullptr) && step_.num != 0)
            return true; // not of this step's kind
        if (from == nullptr && to == nullptr) {
            if (!move_near(len))
                return false;
            continue;
        }
        if (from != nullptr && to != nullptr)
            return add_bounce_read(*from, len);
        const Window *const window = from != nullptr ? from : to;
        if (step_.num != 0 && (window != step_.window || (to != nullptr) != step_.is_write))
            return true;
        step_.window = window;
        step_.is_write = to != nullptr;
        if (!add_piece(len))
            return true;
    }
    return true;
}

/// False: the step is full.
bool RemoteCopy::add_piece(std::size_t len)
{
    std::byte *const from = src_.buf->data() + src_.offset;
    std::byte *const to = dst_.buf->data() + dst_.buf->data_len() + dst_.offset;
    const std::size_t room =
        step_.window->route() == Route::agent ? AgentChannel::kStagingSize - step_.size : len;
    len = std::min(len, room);
    if (len == 0)
        return false;
    step_.pieces[step_.num++] = step_.is_write
                                    ? CopyPiece{here(*src_.buf, from), number_of(to), len}
                                    : CopyPiece{here(*dst_.buf, to), number_of(from), len};
    step_.size += len;
    advance(src_, len);
    advance(dst_, len);
    num_left_ -= len;
    return true;
}

bool RemoteCopy::add_bounce_read(const Window &window, std::size_t len)
{
    if (bounce_ == nullptr)
        bounce_ = std::make_unique<std::byte[]>(kBounceSize);
    len = std::min(len, kBounceSize);
    step_.window = &window;
    step_.is_write = false;
    step_.pieces[step_.num++] = {bounce_.get(), number_of(src_.buf->data() + src_.offset), len};
    step_.size = len;
    advance(src_, len);
    num_bounced_ = len;
    return true;
}

void RemoteCopy::add_bounce_write()
{
    step_.window = far_window(*dst_.buf);
    step_.is_write = true;
    std::byte *const to = dst_.buf->data() + dst_.buf->data_len() + dst_.offset;
    step_.pieces[step_.num++] = {bounce_.get(), number_of(to), num_bounced_};
    step_.size = num_bounced_;
    advance(dst_, num_bounced_);
    num_left_ -= num_bounced_;
    num_bounced_ = 0;
}

/// Between near elements of a list that has far ones, too.
bool RemoteCopy::move_near(std::size_t len)
{
    const Window *const windows[] = {src_.buf->mmap()->window(), dst_.buf->mmap()->window()};
    const auto ended = [&]() -> const Window * {
        for (const Window *const window : windows)
            if (window != nullptr && !window->is_valid())
                return window;
        return nullptr;
    };
    if (!has_mark())
        return false;
    mark_.begin(true);
    const Window *gone = ended();
    if (gone == nullptr) {
        std::memmove(here(*dst_.buf, dst_.buf->data() + dst_.buf->data_len() + dst_.offset),
                     here(*src_.buf, src_.buf->data() + src_.offset), len);
        std::atomic_thread_fence(std::memory_order_acquire);
        gone = ended();
    }
    mark_.end();
    if (gone != nullptr) {
        step_.window = gone;
        fail(RemoteFault::Cause::window_ended);
        return false;
    }
    advance(src_, len);
    advance(dst_, len);
    num_left_ -= len;
    return true;
}

/// Can a queued task be carried out in this step?
bool RemoteCopy::is_companion(const doca_task &task) const noexcept
{
    if (task.is_executed() || !engine_.is_simple_import(task.src(), task.dst()))
        return false;
    const doca_buf &import = step_.is_write ? *task.dst() : *task.src();
    return import.mmap()->window() == step_.window;
}

/// None whose destination an earlier task of the step fills: where its data ends is not known yet.
void RemoteCopy::add_queued(const TaskQueue &queue)
{
    std::array<const doca_buf *, Window::kMaxPieces> filled;
    std::size_t num_filled = 0;
    filled[num_filled++] = current_->dst();
    for (const doca_task *task = queue.front(); task != nullptr; task = TaskQueue::next(*task)) {
        if (step_.num == step_.pieces.size() || !is_companion(*task))
            return;
        const doca_buf &src = *task->src();
        const doca_buf &dst = *task->dst();
        const std::size_t len = src.data_len();
        if (step_.size + len > kMaxBatch || std::find(filled.begin(), filled.begin() + num_filled,
                                                      &dst) != filled.begin() + num_filled)
            return;
        std::byte *const to = dst.data() + dst.data_len();
        step_.pieces[step_.num++] = step_.is_write ? CopyPiece{src.data(), number_of(to), len}
                                                   : CopyPiece{to, number_of(src.data()), len};
        step_.size += len;
        if (num_filled < filled.size())
            filled[num_filled++] = &dst;
    }
}

RemoteCopy::Outcome RemoteCopy::execute()
{
    return step_.window->route() == Route::cross ? execute_across() : start_agent();
}

RemoteCopy::Outcome RemoteCopy::execute_across()
{
    if (!has_mark())
        return fail(RemoteFault::Cause::no_resources);
    const Window &window = *step_.window;
    mark_.begin(window.needs_fence());
    std::size_t num_copied = 0;
    int error = 0;
    const bool was_valid = window.is_valid();
    if (was_valid) {
        num_copied = window.copy_across(step_.is_write, {step_.pieces.data(), step_.num});
        error = errno;
    }
    const bool is_valid = was_valid && window.is_valid();
    mark_.end();
    if (!is_valid)
        return fail(RemoteFault::Cause::window_ended);

    std::size_t num_done = 0; // everything before num_copied is done, nothing behind it was touched
    for (; num_done < step_.num && step_.pieces[num_done].len <= num_copied; ++num_done)
        num_copied -= step_.pieces[num_done].len;
    if (num_done < step_.num_own) {
        fault_.addr = step_.pieces[num_done].far + num_copied;
        return fail(RemoteFault::Cause::bad_address, error);
    }
    return finish(num_done);
}

AgentChannel *RemoteCopy::channel_to(const Window &window)
{
    std::erase_if(channels_, [](const Channel &each) {
        return each.channel == nullptr || each.window_life.expired();
    });
    for (Channel &each : channels_)
        if (each.window_serial == window.serial())
            return each.channel.get();
    auto channel = AgentChannel::open(window);
    if (channel == nullptr)
        return nullptr;
    channels_.push_back({window.serial(), window.life(), std::move(channel)});
    return channels_.back().channel.get();
}

RemoteCopy::Outcome RemoteCopy::start_agent()
{
    if (!step_.window->is_valid())
        return fail(RemoteFault::Cause::window_ended);
    channel_ = channel_to(*step_.window);
    if (channel_ == nullptr)
        return fail(RemoteFault::Cause::no_channel, errno);
    std::byte *staging = channel_->staging().data();
    if (step_.is_write)
        for (std::size_t i = 0; i < step_.num; staging += step_.pieces[i].len, ++i)
            std::memcpy(staging, step_.pieces[i].near, step_.pieces[i].len);
    is_waiting_ = true; // so that what fails from here on closes the connection
    if (!pe_->watch(channel_->fd()) ||
        !channel_->start(step_.is_write, {step_.pieces.data(), step_.num}))
        return fail(RemoteFault::Cause::no_channel, errno);
    return Outcome::pending;
}

/// An idle connection does not wake: its end is no event until somebody copies again.
void RemoteCopy::stop_waiting() noexcept
{
    is_waiting_ = false;
    pe_->unwatch(channel_->fd());
}

RemoteCopy::Outcome RemoteCopy::poll_agent()
{
    std::size_t num_done = 0;
    switch (channel_->poll(&num_done)) {
    case AgentChannel::Answer::pending:
        return Outcome::pending;
    case AgentChannel::Answer::broken:
        return fail(RemoteFault::Cause::no_channel);
    case AgentChannel::Answer::arrived:
        break;
    }
    stop_waiting();
    if (!step_.window->is_valid())
        return fail(RemoteFault::Cause::window_ended);
    num_done = std::min(num_done, step_.num);
    const std::byte *staging = channel_->staging().data();
    if (!step_.is_write)
        for (std::size_t i = 0; i < num_done; staging += step_.pieces[i].len, ++i)
            std::memcpy(step_.pieces[i].near, staging, step_.pieces[i].len);
    if (num_done < step_.num_own) {
        fault_.addr = step_.pieces[num_done].far;
        return fail(RemoteFault::Cause::bad_address);
    }
    return finish(num_done);
}

RemoteCopy::Outcome RemoteCopy::finish(std::size_t num_done)
{
    num_extra_done_ = num_done - step_.num_own;
    return Outcome::done;
}

void RemoteCopy::abandon() noexcept
{
    if (is_waiting_) // its answer must not be taken for a later one's, nor staging be reused
        for (Channel &each : channels_)
            if (each.channel.get() == channel_) {
                pe_->unwatch(channel_->fd());
                each.channel.reset();
            }
    is_waiting_ = false;
    channel_ = nullptr;
    current_ = nullptr;
    num_left_ = 0;
    num_bounced_ = 0;
}

} // namespace softdoca
