// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp_fixture.hpp"

#include <doca_dev.h>

#include <cstdlib>

using namespace softdoca::test;

namespace {

/// The DPU side, with 03:00.0 (representor pf0hpf, 3b:00.0) and 03:00.1 (pf1hpf, 3b:00.1).
struct DeviceConfig {
    std::vector<doca_dev *> devs;
    std::vector<doca_dev_rep *> reps;
    std::vector<std::string> devargs;
    doca_error_t answer = DOCA_SUCCESS;
};

doca_error_t on_device(void *value, void *config)
{
    const auto *device = static_cast<doca_argp_device_ctx *>(value);
    auto *seen = static_cast<DeviceConfig *>(config);
    seen->devargs.emplace_back(device->devargs == nullptr ? "(none)" : device->devargs);
    if (seen->answer == DOCA_SUCCESS)
        seen->devs.push_back(device->dev);
    return seen->answer;
}

doca_error_t on_device_rep(void *value, void *config)
{
    const auto *device = static_cast<doca_argp_device_rep_ctx *>(value);
    auto *seen = static_cast<DeviceConfig *>(config);
    doca_argp_device_ctx dev_ctx = device->dev_ctx;
    if (seen->answer == DOCA_SUCCESS)
        seen->reps.push_back(device->dev_rep);
    return on_device(&dev_ctx, config);
}

std::string pci_addr_of(doca_dev *dev)
{
    char text[DOCA_DEVINFO_PCI_ADDR_SIZE] = {};
    EXPECT_EQ(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(dev), text), DOCA_SUCCESS);
    return text;
}

std::string pci_addr_of(doca_dev_rep *rep)
{
    char text[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = {};
    EXPECT_EQ(doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(rep), text), DOCA_SUCCESS);
    return text;
}

int num_opened;
doca_error_t open_answer;
bool gives_null;

doca_error_t count_and_open(doca_devinfo *info, void *context, doca_dev **dev)
{
    num_opened += *static_cast<int *>(context);
    if (open_answer != DOCA_SUCCESS || gives_null)
        return open_answer;
    return doca_dev_open(info, dev);
}

class DocaArgpDevice : public testing::Test {
protected:
    static void SetUpTestSuite() { ::setenv("SOFTDOCA_ROLE", "dpu", 1); }

    DocaArgpDevice()
    {
        num_opened = 0;
        open_answer = DOCA_SUCCESS;
        gives_null = false;
        EXPECT_EQ(doca_argp_init("prog", &config_), DOCA_SUCCESS);
        add("a", "device", DOCA_ARGP_TYPE_DEVICE, on_device);
        add("r", "rep", DOCA_ARGP_TYPE_DEVICE_REP, on_device_rep);
    }
    ~DocaArgpDevice() override
    {
        for (doca_dev_rep *rep : config_.reps)
            EXPECT_EQ(doca_dev_rep_close(rep), DOCA_SUCCESS);
        for (doca_dev *dev : config_.devs)
            EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
        (void)doca_argp_destroy();
    }

    static void add(const char *short_name, const char *long_name, doca_argp_type type,
                    doca_argp_param_cb_t callback)
    {
        doca_argp_param *param =
            make_param(short_name, long_name, type, {doca_argp_param_set_multiplicity});
        doca_argp_param_set_callback(param, callback);
        EXPECT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);
    }

    std::string stderr_text() const { return stderr_.text(); }

    DeviceConfig config_;

private:
    Capture stderr_{STDERR_FILENO};
};

} // namespace

TEST_F(DocaArgpDevice, IsOpenedForTheCallback)
{
    EXPECT_EQ(start({"-a", "pci/0000:03:00.1"}), DOCA_SUCCESS);

    ASSERT_EQ(config_.devs.size(), 1U);
    EXPECT_EQ(pci_addr_of(config_.devs[0]), "0000:03:00.1");
    EXPECT_EQ(config_.devargs, Calls{"(none)"});
}

TEST_F(DocaArgpDevice, ComesWithItsDevargs)
{
    EXPECT_EQ(start({"-a", "pci/03:00.0,key=1,other=2"}), DOCA_SUCCESS);

    EXPECT_EQ(config_.devargs, Calls{"key=1,other=2"});
}

TEST_F(DocaArgpDevice, MayBeAPlainAddress)
{
    EXPECT_EQ(start({"-a", "03:00.0", "-a", "0000:03:00.1,x"}), DOCA_SUCCESS);

    ASSERT_EQ(config_.devs.size(), 2U);
    EXPECT_EQ(pci_addr_of(config_.devs[1]), "0000:03:00.1");
    EXPECT_EQ(config_.devargs, (Calls{"(none)", "x"}));
}

TEST_F(DocaArgpDevice, GivenTwiceIsOneDeviceWithTwoReferences)
{
    EXPECT_EQ(start({"-a", "pci/03:00.0", "-a", "pci/0000:03:00.0"}), DOCA_SUCCESS);

    ASSERT_EQ(config_.devs.size(), 2U);
    EXPECT_EQ(config_.devs[0], config_.devs[1]);
}

TEST_F(DocaArgpDevice, ThatDoesNotExistIsNotFound)
{
    EXPECT_EQ(start({"-a", "pci/0000:3b:00.0"}), DOCA_ERROR_NOT_FOUND);
    EXPECT_EQ(start({"-a", "auxiliary/mlx5_core.sf.4"}), DOCA_ERROR_NOT_FOUND);

    EXPECT_NE(stderr_text().find("doca_caps --list-devs"), std::string::npos);
    EXPECT_NE(stderr_text().find("Usage: prog"), std::string::npos);
}

TEST_F(DocaArgpDevice, ThatIsNoAddressIsInvalid)
{
    for (const char *text : {"", "pci/", "mlx5_0", "pci/3:0.0", "pci/0000:03:00", "pci/03:00.0x",
                             "pci/ 03:00.0", "pci,03:00.0", "PCI/03:00.0", "0000:03:00:0"})
        EXPECT_EQ(start({"-a", text}), DOCA_ERROR_INVALID_VALUE) << text;
}

TEST_F(DocaArgpDevice, RefusedByTheCallbackIsClosed)
{
    config_.answer = DOCA_ERROR_NOT_PERMITTED;
    EXPECT_EQ(start({"-a", "pci/03:00.0"}), DOCA_ERROR_NOT_PERMITTED);
    config_.answer = DOCA_SUCCESS;
    EXPECT_EQ(start({"-a", "pci/03:00.0"}), DOCA_SUCCESS);

    // Only the reference of the second start is there.
    ASSERT_EQ(config_.devs.size(), 1U);
    EXPECT_EQ(doca_dev_close(config_.devs[0]), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_as_devinfo(config_.devs[0]), nullptr);
    config_.devs.clear();
}

TEST_F(DocaArgpDevice, IsOpenedByTheCallbackOfTheProgram)
{
    int step = 10;
    ASSERT_EQ(doca_argp_register_dev_open_callback(count_and_open, &step), DOCA_SUCCESS);

    EXPECT_EQ(start({"-a", "pci/03:00.0", "-r", "pci/03:00.1,pf1hpf"}), DOCA_SUCCESS);

    EXPECT_EQ(num_opened, 20);
    EXPECT_EQ(config_.devs.size(), 2U);
}

TEST_F(DocaArgpDevice, ErrorOfTheOpenCallbackIsTheResultOfStart)
{
    int step = 1;
    ASSERT_EQ(doca_argp_register_dev_open_callback(count_and_open, &step), DOCA_SUCCESS);
    open_answer = DOCA_ERROR_IN_USE;
    EXPECT_EQ(start({"-a", "pci/03:00.0"}), DOCA_ERROR_IN_USE);
    open_answer = DOCA_SUCCESS;
    gives_null = true;
    EXPECT_EQ(start({"-a", "pci/03:00.0"}), DOCA_ERROR_UNEXPECTED);

    EXPECT_EQ(config_.devargs, Calls{});
}

TEST_F(DocaArgpDevice, OpenCallbackMustNotBeNullAndNotBeLate)
{
    EXPECT_EQ(doca_argp_register_dev_open_callback(nullptr, nullptr), DOCA_ERROR_INVALID_VALUE);
    ASSERT_EQ(start({}), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_register_dev_open_callback(count_and_open, nullptr), DOCA_ERROR_BAD_STATE);
    ASSERT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_register_dev_open_callback(count_and_open, nullptr), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaArgpDevice, RepresentorGoesByItsInterfaceName)
{
    EXPECT_EQ(start({"-r", "pci/0000:03:00.1,pf1hpf"}), DOCA_SUCCESS);

    ASSERT_EQ(config_.reps.size(), 1U);
    EXPECT_EQ(pci_addr_of(config_.reps[0]), "0000:3b:00.1");
    EXPECT_EQ(pci_addr_of(config_.devs[0]), "0000:03:00.1");
    EXPECT_EQ(config_.devargs, Calls{"(none)"});
}

TEST_F(DocaArgpDevice, RepresentorGoesByItsAddress)
{
    EXPECT_EQ(start({"-r", "03:00.0,3b:00.0,key=1,b"}), DOCA_SUCCESS);

    ASSERT_EQ(config_.reps.size(), 1U);
    EXPECT_EQ(pci_addr_of(config_.reps[0]), "0000:3b:00.0");
    EXPECT_EQ(config_.devargs, Calls{"key=1,b"});
}

TEST_F(DocaArgpDevice, RepresentorMustBeNamed)
{
    EXPECT_EQ(start({"-r", "pci/03:00.0"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-r", "pci/03:00.0,,key=1"}), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpDevice, RepresentorOfAnotherDeviceIsNotFound)
{
    for (const char *text : {"03:00.0,pf1hpf", "03:00.0,3b:00.1", "03:00.0,pf0vf0", "03:00.0,sf0",
                             "03:00.0,hpf", "03:00.0,f"})
        EXPECT_EQ(start({"-r", text}), DOCA_ERROR_NOT_FOUND) << text;
}

TEST_F(DocaArgpDevice, RepresentorRefusedByTheCallbackIsClosed)
{
    config_.answer = DOCA_ERROR_NOT_PERMITTED;
    EXPECT_EQ(start({"-r", "03:00.0,pf0hpf"}), DOCA_ERROR_NOT_PERMITTED);
    config_.answer = DOCA_SUCCESS;
    EXPECT_EQ(start({"-a", "03:00.0"}), DOCA_SUCCESS);

    // A representor that was still open would hold the device.
    ASSERT_EQ(config_.devs.size(), 1U);
    EXPECT_EQ(doca_dev_close(config_.devs[0]), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_as_devinfo(config_.devs[0]), nullptr);
    config_.devs.clear();
}

TEST_F(DocaArgpDevice, RepresentorsAreNotSupportedOnTheHost)
{
    // A process of its own, in which no device call has fixed the role.
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto start_as_host = [this] {
        ::setenv("SOFTDOCA_ROLE", "host", 1);
        const doca_error_t result = start({"-r", "3b:00.0,pf0hpf"});
        const bool is_explained = stderr_text().find("no representors") != std::string::npos;
        std::exit(result == DOCA_ERROR_NOT_SUPPORTED && is_explained ? 0 : 1);
    };

    EXPECT_EXIT(start_as_host(), testing::ExitedWithCode(0), "");
    testing::FLAGS_gtest_death_test_style = "fast";
}
