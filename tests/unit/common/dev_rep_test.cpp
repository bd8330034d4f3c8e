// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/handles.hpp"
#include "unit/codes/in_role.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

using U8 = Untouched<std::uint8_t>;

/// The representors of a device.
class RepList {
public:
    explicit RepList(doca_dev *dev, int filter = DOCA_DEVINFO_REP_FILTER_ALL)
    {
        must(doca_devinfo_rep_create_list(dev, filter, &list_, &num_));
    }
    ~RepList() { EXPECT_EQ(doca_devinfo_rep_destroy_list(list_), DOCA_SUCCESS); }
    RepList(const RepList &) = delete;
    RepList &operator=(const RepList &) = delete;

    std::uint32_t size() const { return num_; }
    doca_devinfo_rep *operator[](std::size_t i) const { return list_[i]; }

private:
    doca_devinfo_rep **list_ = nullptr;
    std::uint32_t num_ = 0;
};

std::string pci_addr(const doca_devinfo_rep *info)
{
    char text[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    must(doca_devinfo_rep_get_pci_addr_str(info, text));
    return text;
}

std::string iface_name(const doca_devinfo_rep *info)
{
    char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
    must(doca_devinfo_rep_get_iface_name(info, text, sizeof text));
    return text;
}

std::string vuid(const doca_devinfo_rep *info)
{
    char text[DOCA_DEVINFO_REP_VUID_SIZE];
    must(doca_devinfo_rep_get_vuid(info, text, sizeof text));
    return text;
}

int is_equal(const doca_devinfo_rep *info, const char *text)
{
    std::uint8_t equal = 7;
    EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(info, text, &equal), DOCA_SUCCESS) << text;
    return equal;
}

/// The three capability answers in the order ALL, NET, EMULATED.
std::vector<int> filters_of(const doca_devinfo *info)
{
    std::uint8_t all = 7, net = 7, emulated = 7;
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_all_supported(info, &all), DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_net_supported(info, &net), DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_emulated_supported(info, &emulated), DOCA_SUCCESS);
    return {all, net, emulated};
}

class DocaDevinfoRep : public testing::Test {
protected:
    Device first_{"03:00.0"};
    Device second_{"03:00.1"};
};

} // namespace

TEST_F(DocaDevinfoRep, EachPortHasTheHostFunctionBehindIt)
{
    const RepList of_first(first_);
    const RepList of_second(second_);

    ASSERT_EQ(of_first.size(), 1u);
    ASSERT_EQ(of_second.size(), 1u);
    EXPECT_EQ(pci_addr(of_first[0]), "0000:3b:00.0");
    EXPECT_EQ(pci_addr(of_second[0]), "0000:3b:00.1");
    EXPECT_EQ(iface_name(of_first[0]), "pf0hpf");
    EXPECT_EQ(iface_name(of_second[0]), "pf1hpf");
}

TEST_F(DocaDevinfoRep, Properties)
{
    const RepList list(first_);
    const RepList other(second_);
    doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_SF;
    std::uint8_t is_hotplug = 7;
    std::uint16_t vhca_id = 0, other_vhca_id = 0;

    EXPECT_EQ(doca_devinfo_rep_get_pci_func_type(list[0], &type), DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_rep_get_is_hotplug(list[0], &is_hotplug), DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_rep_get_vhca_id(list[0], &vhca_id), DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_rep_get_vhca_id(other[0], &other_vhca_id), DOCA_SUCCESS);

    EXPECT_EQ(type, DOCA_PCI_FUNC_TYPE_PF);
    EXPECT_EQ(is_hotplug, 0);
    EXPECT_NE(vhca_id, other_vhca_id);
    EXPECT_NE(vuid(list[0]), vuid(other[0]));
    EXPECT_EQ(vuid(list[0]), vuid(RepList(first_)[0])) << "the same in each list";
}

TEST_F(DocaDevinfoRep, OfAnOpenRepresentorAnswersWhenItsListHasGone)
{
    doca_dev_rep *rep = nullptr;
    ASSERT_EQ(doca_dev_rep_open(RepList(first_)[0], &rep), DOCA_SUCCESS);
    doca_devinfo_rep *const info = doca_dev_rep_as_devinfo(rep);
    std::uint8_t is_equal = 7;

    EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(info, "3b:00.0", &is_equal), DOCA_SUCCESS);
    EXPECT_EQ(is_equal, 1);
    EXPECT_EQ(pci_addr(info), "0000:3b:00.0");
    EXPECT_EQ(doca_dev_rep_close(rep), DOCA_SUCCESS);
}

TEST_F(DocaDevinfoRep, TheNetFilterShowsNetworkFunctions)
{
    const RepList list(first_, DOCA_DEVINFO_REP_FILTER_NET);

    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(pci_addr(list[0]), "0000:3b:00.0");
}

TEST_F(DocaDevinfoRep, ThereAreNoEmulatedFunctions)
{
    EXPECT_EQ(filters_of(first_.info()), (std::vector<int>{1, 1, 0}));
    EXPECT_EQ(doca_devinfo_rep_create_list(first_, DOCA_DEVINFO_REP_FILTER_EMULATED,
                                           Untouched<doca_devinfo_rep **>(),
                                           Untouched<std::uint32_t>()),
              DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaDevinfoRep, OtherFiltersAreRefused)
{
    for (const int filter : {1, 3, 6, 8, -1, 0x7fffffff})
        EXPECT_EQ(doca_devinfo_rep_create_list(first_, filter, Untouched<doca_devinfo_rep **>(),
                                               Untouched<std::uint32_t>()),
                  DOCA_ERROR_INVALID_VALUE)
            << filter;
}

TEST(DocaDevinfoRepHost, AHostHasNoRepresentors)
{
    in_role("host", [] {
        const Device device("3b:00.0");

        EXPECT_EQ(filters_of(device.info()), (std::vector<int>{0, 0, 0}));
        for (const int filter : {DOCA_DEVINFO_REP_FILTER_ALL, DOCA_DEVINFO_REP_FILTER_NET,
                                 DOCA_DEVINFO_REP_FILTER_EMULATED})
            EXPECT_EQ(doca_devinfo_rep_create_list(device, filter, Untouched<doca_devinfo_rep **>(),
                                                   Untouched<std::uint32_t>()),
                      DOCA_ERROR_NOT_SUPPORTED);
    });
}

TEST_F(DocaDevinfoRep, AddressesAreComparedByValue)
{
    const RepList list(first_);

    EXPECT_EQ(is_equal(list[0], "3b:00.0"), 1);
    EXPECT_EQ(is_equal(list[0], "3B:00.0"), 1);
    EXPECT_EQ(is_equal(list[0], "0000:3b:00.0"), 1);
    EXPECT_EQ(is_equal(list[0], "3b:00.1"), 0);
    EXPECT_EQ(is_equal(list[0], "03:00.0"), 0) << "the host's address, not the DPU's";
}

TEST_F(DocaDevinfoRep, TextThatIsNoAddressIsRefused)
{
    const RepList list(first_);

    for (const char *text :
         {"", "3b:00", "3b:00.8", "3g:00.0", "0000:3b:00.0 ", "hello!!", "pf0hpf", "pf0hpf "})
        EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(list[0], text, U8()), DOCA_ERROR_INVALID_VALUE)
            << text;
}

TEST_F(DocaDevinfoRep, BuffersMustHaveTheDocumentedSize)
{
    const RepList list(first_);
    UntouchedText<512> out;

    EXPECT_EQ(doca_devinfo_rep_get_vuid(list[0], out, DOCA_DEVINFO_REP_VUID_SIZE - 1),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_iface_name(list[0], out, DOCA_DEVINFO_IFACE_NAME_SIZE - 1),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaDevinfoRep, TextsAreFollowedByZeros)
{
    const RepList list(first_);
    std::vector<char> name(DOCA_DEVINFO_IFACE_NAME_SIZE, 'x');

    must(doca_devinfo_rep_get_iface_name(list[0], name.data(), DOCA_DEVINFO_IFACE_NAME_SIZE));

    EXPECT_EQ(std::string(name.begin(), name.end()),
              "pf0hpf" + std::string(DOCA_DEVINFO_IFACE_NAME_SIZE - 6, '\0'));
}

TEST_F(DocaDevinfoRep, AnOpenRepresentorOutlivesItsList)
{
    Handle<doca_dev_rep, doca_dev_rep_close> rep;
    {
        const RepList list(first_);
        EXPECT_EQ(doca_dev_rep_open(list[0], rep.out()), DOCA_SUCCESS);
    }

    EXPECT_EQ(pci_addr(doca_dev_rep_as_devinfo(rep)), "0000:3b:00.0");
}

TEST_F(DocaDevinfoRep, EachOpenIsClosedOnItsOwn)
{
    const RepList list(first_);
    doca_dev_rep *one = nullptr;
    doca_dev_rep *two = nullptr;
    EXPECT_EQ(doca_dev_rep_open(list[0], &one), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_rep_open(list[0], &two), DOCA_SUCCESS);

    EXPECT_EQ(doca_dev_rep_close(one), DOCA_SUCCESS);
    EXPECT_EQ(pci_addr(doca_dev_rep_as_devinfo(two)), "0000:3b:00.0");
    EXPECT_EQ(doca_dev_rep_close(two), DOCA_SUCCESS);
}

TEST_F(DocaDevinfoRep, HoldsItsDevice)
{
    const RepList list(first_);
    Handle<doca_dev_rep, doca_dev_rep_close> rep;
    must(doca_dev_rep_open(list[0], rep.out()));

    EXPECT_EQ(doca_dev_close(first_), DOCA_ERROR_IN_USE);

    EXPECT_EQ(rep.destroy(), DOCA_SUCCESS);
    EXPECT_EQ(first_.destroy(), DOCA_SUCCESS);
}
