// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "capabilities.hpp"
#include "device_list.hpp"
#include "functions.hpp"

#include "base/log_sink.hpp"
#include "fabric/role.hpp"

#include <doca_argp.h>
#include <doca_log.h>
#include <doca_version.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace softdoca::tool;

/// What the command line asks for.
struct Request {
    bool list_devs = false;
    bool list_rep_devs = false;
    bool list_libs = false;
    bool list_loggers = false;
    std::optional<std::string> pci_addr; ///< all devices if there is none
    std::optional<std::string> library;  ///< all libraries if there is none
};

template <bool Request::*Flag>
doca_error_t set_flag(void *, void *request)
{
    static_cast<Request *>(request)->*Flag = true;
    return DOCA_SUCCESS;
}

template <std::optional<std::string> Request::*Text>
doca_error_t set_text(void *value, void *request)
{
    static_cast<Request *>(request)->*Text = static_cast<const char *>(value);
    return DOCA_SUCCESS;
}

struct Param {
    const char *short_name; ///< nullptr: none
    const char *long_name;
    const char *arguments; ///< nullptr: a flag
    const char *description;
    doca_argp_param_cb_t callback;
};

constexpr Param kParams[] = {
    {nullptr, "list-devs", nullptr, "List the devices", set_flag<&Request::list_devs>},
    {nullptr, "list-rep-devs", nullptr, "List the representors of each device",
     set_flag<&Request::list_rep_devs>},
    {nullptr, "list-libs", nullptr, "List the libraries, and where they are available",
     set_flag<&Request::list_libs>},
    {nullptr, "list-loggers", nullptr, "List the sources of log lines",
     set_flag<&Request::list_loggers>},
    {"p", "pci-addr", "<PCI-ADDRESS>", "Only the device with this address",
     set_text<&Request::pci_addr>},
    {"b", "lib", "<LIBRARY>", "Only the capabilities of this library", set_text<&Request::library>},
};

doca_error_t register_param(const Param &param)
{
    doca_argp_param *argp_param = nullptr;
    const doca_error_t result = doca_argp_param_create(&argp_param);

    if (result != DOCA_SUCCESS)
        return result;
    if (param.short_name != nullptr)
        doca_argp_param_set_short_name(argp_param, param.short_name);
    doca_argp_param_set_long_name(argp_param, param.long_name);
    if (param.arguments != nullptr)
        doca_argp_param_set_arguments(argp_param, param.arguments);
    doca_argp_param_set_description(argp_param, param.description);
    doca_argp_param_set_type(argp_param, param.arguments != nullptr ? DOCA_ARGP_TYPE_STRING
                                                                    : DOCA_ARGP_TYPE_BOOLEAN);
    doca_argp_param_set_callback(argp_param, param.callback);
    return doca_argp_register_param(argp_param);
}

/// Two numbers: the API level that programs see, and that of this software.
doca_error_t print_version(void *, void *)
{
    std::printf("DOCA version %s\nSoftDOCA version %s\n", doca_version_runtime(), SOFTDOCA_VERSION);
    (void)doca_argp_destroy();
    std::exit(EXIT_SUCCESS);
}

doca_error_t parse(int argc, char **argv, Request &request)
{
    doca_error_t result = doca_argp_init("doca_caps", &request);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_argp_register_version_callback(print_version);
    for (const Param &param : kParams) {
        if (result == DOCA_SUCCESS)
            result = register_param(param);
    }
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    (void)doca_argp_destroy();
    return result;
}

/// Library lines of all levels reach the screen if --sdk-log-level was given; else only trouble
/// does.
void show_sdk_log(std::uint32_t limit_before)
{
    doca_log_backend *backend = nullptr;

    if (doca_log_level_get_global_sdk_limit() != limit_before)
        (void)doca_log_backend_create_with_file_sdk(stderr, &backend);
}

void print_loggers()
{
    std::set<std::string> names;

    for (const auto *source = softdoca::LogSource::first(); source != nullptr;
         source = source->next())
        names.insert(source->name());
    for (const std::string &name : names)
        std::printf("%s\n", name.c_str());
}

/// The devices that the request is about. False, with a line that says so, if it names none of
/// ours.
bool choose_devices(const Request &request, const DeviceList &devices,
                    std::vector<doca_devinfo *> &chosen)
{
    if (!request.pci_addr) {
        chosen.assign(devices.all().begin(), devices.all().end());
        return true;
    }
    chosen = devices.at(*request.pci_addr);
    if (!chosen.empty())
        return true;
    const softdoca::Node *node = softdoca::local_node();
    std::fprintf(stderr, "doca_caps: no device has the address %s; the %s sees %s\n",
                 request.pci_addr->c_str(), node != nullptr ? node->name.c_str() : "process",
                 devices.addresses().c_str());
    return false;
}

int answer(const Request &request)
{
    const DeviceList devices;
    std::vector<doca_devinfo *> chosen;
    const bool has_list =
        request.list_devs || request.list_rep_devs || request.list_libs || request.list_loggers;

    if (request.library && !has_capabilities(*request.library)) {
        std::fprintf(stderr, "doca_caps: no capabilities of a library %s are known, only of %s\n",
                     request.library->c_str(), libraries_with_capabilities().c_str());
        return EXIT_FAILURE;
    }
    if (!choose_devices(request, devices, chosen))
        return EXIT_FAILURE;

    if (request.list_libs)
        print_libraries();
    if (request.list_loggers)
        print_loggers();
    for (doca_devinfo *devinfo : chosen) {
        if (request.list_devs)
            print_device_properties(devinfo);
        if (request.list_rep_devs)
            print_representors(devinfo);
        if (!has_list)
            print_capabilities(devinfo, request.library);
    }
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv)
{
    Request request;
    const std::uint32_t sdk_limit = doca_log_level_get_global_sdk_limit();

    if (parse(argc, argv, request) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    show_sdk_log(sdk_limit);
    return answer(request);
}
