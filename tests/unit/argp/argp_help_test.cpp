// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp_fixture.hpp"

#include <cstdlib>

using namespace softdoca::test;

namespace {

const std::string kLevels =
    "<10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>\n";
const std::string kDocaFlags =
    "\n"
    "DOCA Flags:\n"
    "  -h, --help                        Print a help synopsis\n"
    "  -v, --version                     Print program version information\n"
    "  -l, --log-level                   Set the (numeric) log level for the program " +
    kLevels +
    "  --sdk-log-level                   Set the SDK (numeric) log level for the program " +
    kLevels +
    "  -j, --json <path>                 Parse command line flags from an input json file\n";

class DocaArgpHelp : public ArgpTest {
protected:
    static std::string usage()
    {
        const Capture out(STDOUT_FILENO);
        doca_argp_usage();
        std::fflush(stdout);
        return out.text();
    }

    static void add(const char *short_name, const char *long_name, const char *arguments,
                    const char *description, std::initializer_list<ParamSetter> setters = {})
    {
        doca_argp_param *param = make_param(short_name, long_name, DOCA_ARGP_TYPE_STRING, setters);
        doca_argp_param_set_arguments(param, arguments);
        doca_argp_param_set_description(param, description);
        EXPECT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);
    }
};

doca_error_t no_dpdk(int, char **)
{
    return DOCA_SUCCESS;
}

} // namespace

TEST_F(DocaArgpHelp, LeavesOutGroupsWithoutEntries)
{
    ASSERT_EQ(start({}), DOCA_SUCCESS);

    EXPECT_EQ(usage(), "Usage: prog [DOCA Flags]\n" + kDocaFlags);
}

TEST_F(DocaArgpHelp, ShowsParametersInTheOrderOfTheirRegistration)
{
    add("p", "pci-addr", "", "DOCA device PCI address");
    add("ns", "num-src-buf", "<number>", "Number of source buffers");
    add(nullptr, "only-long", "", "Without short name");
    add("o", nullptr, "<word>", "Without long name");
    add("a", "a-name-that-is-far-too-long-for-the", "", "One blank");
    ASSERT_EQ(start({}), DOCA_SUCCESS);

    EXPECT_EQ(usage(), "Usage: prog [DOCA Flags] [Program Flags]\n" + kDocaFlags +
                           "\n"
                           "Program Flags:\n"
                           "  -p, --pci-addr                    DOCA device PCI address\n"
                           "  -ns, --num-src-buf <number>       Number of source buffers\n"
                           "  --only-long                       Without short name\n"
                           "  -o <word>                         Without long name\n"
                           "  -a, --a-name-that-is-far-too-long-for-the One blank\n");
}

TEST_F(DocaArgpHelp, LeavesOutHiddenParameters)
{
    add("p", "pci-addr", "", "DOCA device PCI address", {doca_argp_param_set_hidden});
    ASSERT_EQ(start({"-p", "x"}), DOCA_SUCCESS);

    EXPECT_EQ(usage(), "Usage: prog [DOCA Flags]\n" + kDocaFlags);
}

TEST_F(DocaArgpHelp, ShowsTheDashesOfADpdkProgram)
{
    doca_argp_set_dpdk_program(no_dpdk);
    add("p", "pci-addr", "", "DOCA device PCI address");
    ASSERT_EQ(start({}), DOCA_SUCCESS);

    EXPECT_EQ(usage().substr(0, usage().find('\n')),
              "Usage: prog [DPDK Flags] -- [DOCA Flags] [Program Flags]");
}

TEST_F(DocaArgpHelp, ShowsCommands)
{
    doca_argp_cmd *hidden = make_cmd("secret");
    doca_argp_cmd_set_hidden(hidden);
    ASSERT_EQ(doca_argp_register_cmd(make_cmd("get")), DOCA_SUCCESS);
    ASSERT_EQ(doca_argp_register_cmd(hidden), DOCA_SUCCESS);
    ASSERT_EQ(start({"secret"}), DOCA_SUCCESS);

    EXPECT_EQ(usage(), "Usage: prog [DOCA Flags] <command> ...\n" + kDocaFlags +
                           "\n"
                           "Program Commands:\n"
                           "  get                               a command\n");
}

TEST_F(DocaArgpHelp, LeavesOutCommandsThatAreAllHidden)
{
    doca_argp_cmd *hidden = make_cmd("secret");
    doca_argp_cmd_set_hidden(hidden);
    ASSERT_EQ(doca_argp_register_cmd(hidden), DOCA_SUCCESS);
    ASSERT_EQ(start({}), DOCA_SUCCESS);

    EXPECT_EQ(usage(), "Usage: prog [DOCA Flags]\n" + kDocaFlags);
}

TEST_F(DocaArgpHelp, InsideACommandShowsWhatIsKnownThere)
{
    add("t", "top", "", "Only before the command");
    add("q", "quality", "", "Everywhere", {doca_argp_param_set_inherited});
    doca_argp_cmd *set = make_cmd("set");
    add_param_to(set, "v", "vf-pci-addr", DOCA_ARGP_TYPE_STRING, {doca_argp_param_set_inherited});
    ASSERT_EQ(doca_argp_cmd_register_cmd(set, make_cmd("port")), DOCA_SUCCESS);
    ASSERT_EQ(doca_argp_register_cmd(set), DOCA_SUCCESS);

    EXPECT_EQ(start({"set", "--bogus"}), DOCA_ERROR_NOT_SUPPORTED);

    std::string flags = kDocaFlags;
    flags.replace(flags.find("  -v, --version   "), 18, "  --version       ");
    EXPECT_EQ(stderr_text(),
              "prog: unknown option \"--bogus\"\n"
              "Usage: prog [DOCA Flags] [Program Flags] set [Command Flags] <command> ...\n" +
                  flags +
                  "\n"
                  "Program Flags:\n"
                  "  -q, --quality                     Everywhere\n"
                  "\n"
                  "Command Flags of set:\n"
                  "  -v, --vf-pci-addr                 for the test\n"
                  "\n"
                  "Inner Commands:\n"
                  "  port                              a command\n");
}

TEST_F(DocaArgpHelp, TakesTheNameThatInitWasGiven)
{
    ASSERT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
    ASSERT_EQ(doca_argp_init("doca_copy", nullptr), DOCA_SUCCESS);

    EXPECT_EQ(usage(), "Usage: doca_copy [DOCA Flags]\n" + kDocaFlags);
    ASSERT_EQ(start({}), DOCA_SUCCESS);
    EXPECT_EQ(usage(), "Usage: doca_copy [DOCA Flags]\n" + kDocaFlags);
}

TEST_F(DocaArgpHelp, IsPrintedOnStdoutAndEndsTheProgramWithSuccess)
{
    const auto ask_for_help = [](const char *flag) {
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        (void)start({flag, "--bogus"});
        std::exit(3);
    };

    EXPECT_EXIT(ask_for_help("-h"), testing::ExitedWithCode(0), "^Usage: prog .DOCA Flags");
    EXPECT_EXIT(ask_for_help("--help"), testing::ExitedWithCode(0), "^Usage: prog .DOCA Flags");
}
