// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/window.hpp"

#include "base/log_sink.hpp"
#include "fabric/local_process.hpp"

#include <doca_types.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

LOG_SOURCE("FABRIC::WINDOW");

namespace softdoca {

namespace {

constexpr auto kImportPatience = std::chrono::seconds(5);

[[gnu::format(printf, 3, 4)]] bool refuse(ImportFault *fault, doca_error_t code, const char *format,
                                          ...)
{
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(fault->text, sizeof fault->text, format, values);
    va_end(values);
    fault->code = code;
    return false;
}

bool refuse_link(ImportFault *fault, LinkFault why, const ExportDescriptor &descriptor)
{
    const char *const side = descriptor.side == 1 ? "DPU" : "host";
    switch (why) {
    case LinkFault::silent:
        return refuse(fault, DOCA_ERROR_DRIVER,
                      "pid %d (%s), which exported this, does not answer within 5 s; if it is "
                      "stopped (SIGSTOP, a debugger), continue it (kill -CONT %d) or end it",
                      descriptor.pid, side, descriptor.pid);
    case LinkFault::other_release:
        return refuse(fault, DOCA_ERROR_NOT_PERMITTED,
                      "pid %d (%s), which exported this, uses libraries of another release; link "
                      "both sides with the same",
                      descriptor.pid, side);
    case LinkFault::other_user:
        return refuse(fault, DOCA_ERROR_NOT_PERMITTED,
                      "pid %d (%s), which exported this, belongs to another user; run both as one "
                      "user, or open the fabric to a group in the topology",
                      descriptor.pid, side);
    case LinkFault::busy:
        return refuse(
            fault, DOCA_ERROR_DRIVER,
            "pid %d (%s), which exported this, has no room for another connection (ulimit "
            "-n there); end importers that are not needed",
            descriptor.pid, side);
    case LinkFault::no_resources:
        return refuse(fault, DOCA_ERROR_DRIVER,
                      "this process cannot connect to pid %d: out of descriptors or memory "
                      "(ulimit -n)",
                      descriptor.pid);
    case LinkFault::out_of_order:
        return refuse(fault, DOCA_ERROR_DRIVER, "pid %d (%s) does not speak as an exporter does",
                      descriptor.pid, side);
    default:
        return refuse(fault, DOCA_ERROR_DRIVER,
                      "this descriptor was exported by pid %d (%s), which has ended, or is not in "
                      "the fabric %s; keep the exporter running until the copy is done",
                      descriptor.pid, side, wanted_fabric_directory().c_str());
    }
}

/// SOFTDOCA_WINDOW, for tests.
std::optional<Route> forced_route()
{
    const char *const name = std::getenv("SOFTDOCA_WINDOW");
    if (name == nullptr || *name == '\0')
        return std::nullopt;
    for (const Route route : {Route::mapped, Route::cross, Route::agent})
        if (std::strcmp(name, to_string(route)) == 0)
            return route;
    LOG_ONCE(LogLevel::warning, name, "SOFTDOCA_WINDOW=%s is none of mapped, cross, agent; ignored",
             name);
    return std::nullopt;
}

const Function *find_function(const Node &node, std::string_view pci) noexcept
{
    const auto address = PciAddress::parse(pci);
    for (const Device &device : node.devices)
        if (address && device.function.pci == *address)
            return &device.function;
    return nullptr;
}

} // namespace

Window::Window()
    : serial_([] {
          static std::atomic<std::uint64_t> num_made{0};
          return ++num_made;
      }()),
      life_(std::make_shared<char>())
{
}

std::unique_ptr<Window> Window::import(std::span<const std::byte> bytes, const Function &function,
                                       ImportFault *fault)
{
    const char *why = nullptr;
    const auto descriptor = ExportDescriptor::parse(bytes, &why);
    if (!descriptor) {
        refuse(fault, DOCA_ERROR_INVALID_VALUE,
               "the %zu bytes are no export descriptor: %s; pass on exactly what "
               "doca_mmap_export_pci gave",
               bytes.size(), why);
        return nullptr;
    }
    std::string trouble;
    LocalProcess *const self = LocalProcess::get(&trouble);
    if (self == nullptr) {
        refuse(fault, DOCA_ERROR_DRIVER, "%s", trouble.c_str());
        return nullptr;
    }
    std::unique_ptr<Window> window(new Window);
    if (!window->open(*self, *descriptor, function, fault))
        return nullptr;
    self->add(*window);
    window->self_ = self;
    return window;
}

bool Window::open(LocalProcess &self, const ExportDescriptor &descriptor, const Function &function,
                  ImportFault *fault)
{
    if (descriptor.exporter == self.id())
        return refuse(fault, DOCA_ERROR_NOT_PERMITTED,
                      "this process exported it itself; use the mmap that it was exported from");
    const auto deadline = Clock::now() + kImportPatience;
    LinkFault trouble = LinkFault::none;
    link_ = self.link_to(descriptor.exporter, deadline, &trouble);
    if (link_ == nullptr)
        return refuse_link(fault, trouble, descriptor);

    auto request = wire::make<wire::OpenWindow>();
    request.key = descriptor.key;
    request.wants_tracing = forced_route().value_or(Route::cross) == Route::cross ? 1 : 0;
    Received received;
    const auto reply = link_->ask<wire::WindowReply>(request, deadline, &received, &trouble);
    if (!reply)
        return refuse_link(fault, trouble, descriptor);
    if (reply->status == wire::Status::busy)
        return refuse(
            fault, DOCA_ERROR_NO_MEMORY,
            "this process has %zu imports of pid %d, the limit; destroy those that are not "
            "needed",
            wire::kMaxGrants, descriptor.pid);
    if (reply->status != wire::Status::ok)
        return refuse(fault, DOCA_ERROR_NOT_PERMITTED,
                      "pid %d (%s) does not export this any more; it has stopped or destroyed the "
                      "mmap: export it again",
                      descriptor.pid, descriptor.side == 1 ? "DPU" : "host");
    if (reply->slot >= kMaxWindows || reply->addr == 0 || reply->len == 0 ||
        reply->addr + reply->len < reply->addr)
        return refuse_link(fault, LinkFault::out_of_order, descriptor);

    slot_ = reply->slot;
    generation_ = reply->generation;
    generation_now_ = &link_->page().page().generations[slot_];
    death_word_ = &link_->page().page().death_word;
    addr_ = reply->addr;
    len_ = reply->len;
    permissions_ = reply->permissions;
    side_ = reply->side == 1 ? Side::dpu : Side::host;
    key_ = descriptor.key;
    pid_ = link_->peer_pid() > 0 ? link_->peer_pid() : descriptor.pid;
    needs_fence_ = !link_->page().joins_fences() || !self.page().joins_fences();
    wire::put_text(pci_, function.pci.text().data());
    self_ = &self; // from here on the exporter is told when we go
    if (!check_sides(self, *reply, function, fault))
        return false;
    if (choose_route(*reply, received, fault))
        return true;
    return link_->is_alive() ? false : refuse_link(fault, LinkFault::gone, descriptor);
}

/// The exporter's function must be on the other side of the card that the importer's is of.
bool Window::check_sides(LocalProcess &self, const wire::WindowReply &reply,
                         const Function &function, ImportFault *fault) const
{
    const auto node_name = wire::get_text(reply.node);
    const auto pci = wire::get_text(reply.pci);
    const Node *const node = topology().find(node_name.data());
    const Function *const exporter = node == nullptr ? nullptr : find_function(*node, pci.data());
    if (exporter == nullptr)
        return refuse(fault, DOCA_ERROR_NOT_PERMITTED,
                      "it was exported by pid %d with %s of node \"%s\", which this process's "
                      "topology does not have; give both SOFTDOCA_TOPOLOGY",
                      pid_, pci.data(), node_name.data());
    if (node->side == self.node().side)
        return refuse(fault, DOCA_ERROR_NOT_PERMITTED,
                      "it was exported by pid %d on the %s side, where this process is too; memory "
                      "is exported to the other side (SOFTDOCA_ROLE)",
                      pid_, to_string(node->side));
    if (exporter->card.empty() || exporter->card != function.card)
        return refuse(
            fault, DOCA_ERROR_NOT_PERMITTED,
            "it was exported with %s of node \"%s\" on card \"%s\"; %s is on card \"%s\"; "
            "import it with a device of the same card",
            pci.data(), node_name.data(), exporter->card.c_str(), function.pci.text().data(),
            function.card.c_str());
    return true;
}

/// The best that works, or the one that was asked for.
bool Window::choose_route(const wire::WindowReply &reply, Received &received, ImportFault *fault)
{
    const auto forced = forced_route();
    if (forced.value_or(Route::mapped) == Route::mapped && try_mapped(reply, received))
        route_ = Route::mapped;
    else if (forced.value_or(Route::cross) == Route::cross && try_cross(reply))
        route_ = Route::cross;
    else if (forced.value_or(Route::agent) == Route::agent)
        route_ = Route::agent;
    else
        return refuse(fault, DOCA_ERROR_NOT_SUPPORTED,
                      "the route that SOFTDOCA_WINDOW=%s asks for cannot be had: %s",
                      to_string(*forced), reason_);
    if (route_ == Route::mapped)
        reason_[0] = '\0';
    return true;
}

Window::~Window()
{
    if (self_ == nullptr)
        return;
    self_->remove(*this);
    auto goodbye = wire::make<wire::CloseWindow>();
    goodbye.slot = slot_;
    goodbye.generation = generation_;
    link_->tell(goodbye);
}

void Window::describe_end(std::span<char> text) const noexcept
{
    const bool is_alive = link_->is_alive();
    std::snprintf(
        text.data(), text.size(),
        is_alive ? "the exporter of the import, pid %d (%s), has stopped it; import the new export"
                 : "the import was exported by pid %d (%s), which has ended; keep the exporter "
                   "running until the copy is done",
        pid_, exporter_side());
}

wire::ListRow Window::row() const noexcept
{
    wire::ListRow row;
    row.addr = addr_;
    row.len = len_;
    row.permissions = permissions_;
    row.exporter_pid = pid_;
    row.route = static_cast<std::uint8_t>(route_);
    row.is_alive = is_valid() ? 1 : 0;
    wire::put_text(row.pci, pci_);
    wire::put_text(row.reason, reason_);
    return row;
}

} // namespace softdoca
