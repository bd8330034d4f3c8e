// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The network plane of a Device: frames go out, and come back to its own receive queue.

#include "model/frames.hpp"

#include "common/buf.hpp"
#include "model/context.hpp"
#include "model/fault.hpp"

#include <array>
#include <mutex>
#include <span>

LOG_SOURCE("MODEL::FRAMES");

namespace softdoca {

namespace {

constexpr std::size_t kHeaderLen = 14; // of an Ethernet frame: two addresses and a type

enum class Found { ok, no_device, dead_buf, no_plane, bad_data, no_frame, no_room, no_right };

void count(softdoca_model_device_counters &counters, std::size_t len, bool is_dropped) noexcept
{
    ++counters.tx_frames;
    counters.tx_bytes += len;
    if (len < kHeaderLen)
        ++counters.runts;
    if (is_dropped) {
        ++counters.dropped;
        return;
    }
    ++counters.rx_frames;
    counters.rx_bytes += len;
}

doca_error_t refuse_frame(Found found, const doca_buf *buf, std::size_t data_len) noexcept
{
    static constexpr char kCall[] = "doca_task_submit";
    const auto *const handle = static_cast<const void *>(buf);
    if (found == Found::no_device)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, kCall,
                           "%s: no Device of the Context is open; call doca_dev_open first", kCall);
    if (found == Found::dead_buf)
        return refuse_dead(LOG_SITE, kCall, "buffer", buf);
    if (found == Found::no_plane)
        return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, buf,
                           "%s: the device of buffer %p has no network plane; open one that "
                           "doca_devinfo_get_first gives",
                           kCall, handle);
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, buf,
                       "%s: buffer %p has %zu bytes of data; a frame has 1 to %zu, all inside the "
                       "buffer (doca_buf_set_data)",
                       kCall, handle, data_len, FrameQueue::kMaxFrameLen);
}

doca_error_t refuse_receive(Found found, const doca_buf *buf, std::size_t frame_len,
                            std::size_t len) noexcept
{
    static constexpr char kCall[] = "softdoca_model_receive";
    const auto *const handle = static_cast<const void *>(buf);
    switch (found) {
    case Found::no_frame: // back-pressure, no fault
        LOG_ONCE(LogLevel::info, kCall, "%s: no frame is there; submit one, and try again", kCall);
        return DOCA_ERROR_AGAIN;
    case Found::no_right:
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, buf,
                           "%s: buffer %p is on a Memory for reading only; register it with "
                           "DOCA_MEM_ACCESS_RW",
                           kCall, handle);
    case Found::no_plane:
        return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, buf,
                           "%s: the device of buffer %p has no network plane", kCall, handle);
    case Found::no_room:
        return LOG_REFUSED(DOCA_ERROR_TOO_BIG, buf,
                           "%s: the frame has %zu bytes, buffer %p takes %zu; give a larger one, "
                           "the frame waits",
                           kCall, frame_len, handle, len);
    default:
        return refuse_dead(LOG_SITE, kCall, "buffer", buf);
    }
}

} // namespace

doca_error_t ModelContext::submit(doca_buf *buf) noexcept
{
    std::array<std::byte, FrameQueue::kMaxFrameLen> copy; // for the file, which is written unlocked
    std::size_t len = 0;
    const auto send = [&] {
        if (num_open_devices() == 0)
            return Found::no_device;
        const doca_mem *const mem = find_mem_of(buf);
        if (mem == nullptr)
            return Found::dead_buf;
        OpenDevice &device = *mem->device;
        len = buf->data_len();
        if (!device.has_network_plane())
            return Found::no_plane;
        if (len == 0 || len > FrameQueue::kMaxFrameLen || !buf->is_data_inside())
            return Found::bad_data;
        const std::span<const std::byte> frame(buf->data(), len);
        count(device.counters, len, device.frames.is_full());
        if (!device.frames.is_full())
            device.frames.push(frame);
        if (pcap_.is_wanted())
            std::memcpy(copy.data(), frame.data(), len);
        else
            len = 0;
        return Found::ok;
    };
    Found found;
    {
        const std::scoped_lock lock(model_lock);
        found = send();
    }
    if (found != Found::ok)
        return refuse_frame(found, buf, len);
    if (len > 0)
        pcap_.append({copy.data(), len});
    return DOCA_SUCCESS;
}

doca_error_t ModelContext::receive(doca_buf *buf) noexcept
{
    std::size_t frame_len = 0, len = 0;
    const auto take = [&] {
        const doca_mem *const mem = find_mem_of(buf);
        if (mem == nullptr)
            return Found::dead_buf;
        FrameQueue &frames = mem->device->frames;
        if (!mem->device->has_network_plane())
            return Found::no_plane;
        if (!mem->is_writable)
            return Found::no_right;
        if (frames.is_empty())
            return Found::no_frame;
        frame_len = frames.front_len();
        len = buf->len();
        if (frame_len > len)
            return Found::no_room;
        frames.pop(buf->head());
        buf->set_data(buf->head(), frame_len);
        return Found::ok;
    };
    Found found;
    {
        const std::scoped_lock lock(model_lock);
        found = take();
    }
    return found == Found::ok ? DOCA_SUCCESS : refuse_receive(found, buf, frame_len, len);
}

namespace {

/// The Context behind the handle; nullptr, and the answer of the call, if it cannot be used.
std::shared_ptr<ModelContext> usable_context(const char *call, const doca_ctx *ctx,
                                             const doca_buf *buf, doca_error_t *bad) noexcept
{
    *bad = check_not_null(LOG_SITE, call, "ctx", ctx);
    if (*bad == DOCA_SUCCESS)
        *bad = check_not_null(LOG_SITE, call, "buf", buf);
    if (*bad == DOCA_SUCCESS)
        *bad = check_own_process(LOG_SITE, call);
    if (*bad != DOCA_SUCCESS)
        return nullptr;
    std::shared_ptr<ModelContext> context = live_context(ctx);
    if (context == nullptr)
        *bad = refuse_dead(LOG_SITE, call, "context", ctx);
    return context;
}

} // namespace

} // namespace softdoca

extern "C" doca_error_t softdoca_model_task_submit(doca_ctx *ctx, doca_buf *buf)
{
    doca_error_t bad = DOCA_SUCCESS;
    const auto context = softdoca::usable_context("doca_task_submit", ctx, buf, &bad);
    if (context == nullptr)
        return bad;
    if (const doca_error_t fault = softdoca::model_fault(softdoca::FaultPoint::submit);
        fault != DOCA_SUCCESS)
        return fault;
    return context->submit(buf);
}

extern "C" doca_error_t softdoca_model_receive(doca_ctx *ctx, doca_buf *buf)
{
    doca_error_t bad = DOCA_SUCCESS;
    const auto context = softdoca::usable_context("softdoca_model_receive", ctx, buf, &bad);
    return context == nullptr ? bad : context->receive(buf);
}
