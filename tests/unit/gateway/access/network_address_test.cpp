#include "gateway/access/network_address.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::string_literals;
using tandem::gateway::client_network_key;
using tandem::gateway::is_bind_allowed;
using tandem::gateway::is_local_origin;
using tandem::gateway::is_loopback;

TEST(is_loopback, knows_its_addresses) {
    for (const auto* const address :
         {"127.0.0.1", "127.0.0.0", "127.255.255.255", "127.1.2.3", "::1", "0:0:0:0:0:0:0:1",
          "::ffff:127.0.0.1", "::FFFF:127.9.9.9", "::ffff:7f00:1"})
        EXPECT_TRUE(is_loopback(address)) << address;
}

TEST(is_loopback, knows_no_others) {
    for (const auto& address : {""s,
                                "0.0.0.0"s,
                                "::"s,
                                "126.255.255.255"s,
                                "128.0.0.1"s,
                                "10.0.0.1"s,
                                "::2"s,
                                "::ffff:10.0.0.1"s,
                                "::127.0.0.1"s,
                                "fe80::1"s,
                                "127.1"s,
                                "127"s,
                                "127.0.0.1.5"s,
                                "0127.0.0.1"s,
                                "0x7f.0.0.1"s,
                                "2130706433"s,
                                "127.0.0.256"s,
                                "127.0.0.1 "s,
                                " 127.0.0.1"s,
                                "127.0.0.1:80"s,
                                "[::1]"s,
                                "::1%lo"s,
                                "127.0.0.1\0x"s,
                                "127.0.0.1\n"s,
                                "localhost"s,
                                std::string(1 << 20, '1')})
        EXPECT_FALSE(is_loopback(address)) << address.substr(0, 40);
}

TEST(is_bind_allowed, is_true_anywhere_with_keys) {
    for (const auto* const address : {"0.0.0.0", "::", "bots.example", "127.0.0.1"})
        EXPECT_TRUE(is_bind_allowed(address, true)) << address;
}

TEST(is_bind_allowed, is_true_on_loopback_only_without_keys) {
    for (const auto* const address : {"127.0.0.1", "::1", "::ffff:127.0.0.1", "localhost"})
        EXPECT_TRUE(is_bind_allowed(address, false)) << address;
    for (const auto* const address : {"0.0.0.0", "::", "", "192.168.1.2", "bots.example",
                                      "localhost.example", "127.0.0.1.example", "ip6-localhost"})
        EXPECT_FALSE(is_bind_allowed(address, false)) << address;
}

TEST(client_network_key, is_one_ipv4_address_however_it_is_written) {
    EXPECT_EQ(client_network_key("10.1.2.3"), client_network_key("::ffff:10.1.2.3"));
    EXPECT_NE(client_network_key("10.1.2.3"), client_network_key("10.1.2.4"));
}

TEST(client_network_key, is_a_network_of_ipv6) {
    EXPECT_EQ(client_network_key("2001:db8:1:2::1"),
              client_network_key("2001:db8:1:2:ffff:ffff:ffff:ffff"));
    EXPECT_NE(client_network_key("2001:db8:1:2::1"), client_network_key("2001:db8:1:3::1"));
}

TEST(client_network_key, bounds_what_is_no_address) {
    EXPECT_NE(client_network_key(""), client_network_key("x"));
    EXPECT_LE(client_network_key(std::string(1 << 20, 'x')).size(), 65u);
    EXPECT_NE(client_network_key("abcd"), client_network_key("97.98.99.100"))
        << "the same four bytes";
}

TEST(is_local_origin, knows_pages_of_this_machine_by_their_host) {
    for (const char* origin : {"http://localhost:8090", "http://127.0.0.1", "https://[::1]:443",
                               "http://127.8.9.1:3000"})
        EXPECT_TRUE(is_local_origin(origin)) << origin;
    for (const char* origin : {"null", "", "file://", "https://evil.example", "http://[::1",
                               "http://localhost.evil.example", "http://127.0.0.1.evil.example:80",
                               "http://10.0.0.1", "//localhost"})
        EXPECT_FALSE(is_local_origin(origin)) << origin;
}

}  // namespace
