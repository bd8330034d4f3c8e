// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "dma/copy_fault.hpp"

#include "dma/remote_copy.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace softdoca {

void FaultText::say(const char *format, ...) noexcept
{
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(text_, sizeof text_, format, values);
    va_end(values);
}

FaultText describe(const CopyReport &report, const DmaLimits &limits) noexcept
{
    FaultText out;
    const auto *const buf = static_cast<const void *>(report.buf);
    switch (report.fault) {
    case CopyFault::none:
        out.say("nothing is wrong");
        break;
    case CopyFault::no_source:
        out.say("the task has no source (doca_dma_task_memcpy_set_src)");
        break;
    case CopyFault::no_destination:
        out.say("the task has no destination (doca_dma_task_memcpy_set_dst)");
        break;
    case CopyFault::buffer_returned:
        out.say("buffer %p was returned to its inventory; keep it until the completion callback",
                buf);
        break;
    case CopyFault::source_empty:
        out.say("source buffer %p has no data (length 0 of %zu): call doca_buf_set_data before the "
                "submit",
                buf, report.buf->len());
        break;
    case CopyFault::source_too_long:
        out.say("copy of %llu bytes is above the limit of %llu (max_buf_size); split it, or raise "
                "the limit in the topology",
                static_cast<unsigned long long>(report.num_bytes),
                static_cast<unsigned long long>(limits.max_buf_size));
        break;
    case CopyFault::source_list_too_long:
    case CopyFault::destination_list_too_long:
        out.say("%s list has %u elements, the device takes %u (max_buf_list_len)",
                report.fault == CopyFault::source_list_too_long ? "source" : "destination",
                report.list->list_len(), limits.max_buf_list_len);
        break;
    case CopyFault::data_outside:
        out.say("the data of buffer %p [%p, %zu bytes] is not inside it (doca_buf_set_data)", buf,
                static_cast<void *>(report.buf->data()), report.buf->data_len());
        break;
    case CopyFault::no_room:
        out.say("the destination has room for %llu bytes, the source holds %llu; give it a larger "
                "buffer, or doca_buf_reset_data_len if it holds old data",
                static_cast<unsigned long long>(report.room),
                static_cast<unsigned long long>(report.num_bytes));
        break;
    case CopyFault::mmap_stopped:
        out.say("mmap %p of buffer %p is not started",
                static_cast<const void *>(report.buf->mmap()), buf);
        break;
    case CopyFault::device_not_in_mmap:
        out.say("mmap %p of buffer %p does not have this device (doca_mmap_add_dev)",
                static_cast<const void *>(report.buf->mmap()), buf);
        break;
    case CopyFault::destination_read_only:
        if (const Window *const window = report.buf->mmap()->window(); window != nullptr)
            out.say(
                "destination mmap %p (import of pid %d) is PCI_READ_ONLY; the exporter must set "
                "DOCA_ACCESS_FLAG_PCI_READ_WRITE",
                static_cast<const void *>(report.buf->mmap()), window->exporter_pid());
        else
            out.say("destination mmap %p is read only; set DOCA_ACCESS_FLAG_LOCAL_READ_WRITE",
                    static_cast<const void *>(report.buf->mmap()));
        break;
    }
    return out;
}

FaultText describe(const RemoteFault &fault) noexcept
{
    FaultText out;
    const Window *const window = fault.window;
    switch (fault.cause) {
    case RemoteFault::Cause::none:
        out.say("nothing is wrong");
        break;
    case RemoteFault::Cause::window_ended:
        window->describe_end({out.room(), FaultText::kSize});
        break;
    case RemoteFault::Cause::bad_address:
        out.say("memory at or behind 0x%llx of pid %d (%s), or its counterpart here, is not "
                "accessible%s%s; was it freed, or is it read only?",
                static_cast<unsigned long long>(fault.addr), window->exporter_pid(),
                window->exporter_side(), fault.error == 0 ? "" : ": ",
                fault.error == 0 ? "" : std::strerror(fault.error));
        break;
    case RemoteFault::Cause::no_channel:
        out.say("the agent of pid %d (%s) refuses, or cannot be reached%s%s",
                window->exporter_pid(), window->exporter_side(), fault.error == 0 ? "" : ": ",
                fault.error == 0 ? "" : std::strerror(fault.error));
        break;
    case RemoteFault::Cause::no_resources:
        out.say(
            "this process has more than %u contexts that copy from or to other processes, or no "
            "memory left",
            kMaxCopyMarks - 1);
        break;
    }
    return out;
}

} // namespace softdoca
