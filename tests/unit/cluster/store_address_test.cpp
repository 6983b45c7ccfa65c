#include "cluster/store/store_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tandem::cluster;
using testing::HasSubstr;

struct valid_address {
    const char* text;
    store_address address;
    const char* shown;
};

TEST(store_address, is_read) {
    const valid_address cases[]{
        {"redis://store", {.hosts = {{"store", 6379}}}, "redis://store:6379"},
        {"redis://store:1/2", {.hosts = {{"store", 1}}, .database = 2}, "redis://store:1"},
        {"redis://me@store", {.hosts = {{"store", 6379}}, .user = "me"}, "redis://store:6379"},
        {"rediss://[::1]:7", {.hosts = {{"::1", 7}}, .uses_tls = true}, "rediss://[::1]:7"},
        {"unix:///run/redis.sock", {.path = "/run/redis.sock"}, "unix:///run/redis.sock"},
        {"redis+sentinel://a,b:5/main/3",
         {.hosts = {{"a", 26379}, {"b", 5}}, .primary = "main", .database = 3},
         "redis+sentinel://a:26379,b:5/main"},
        {"rediss+sentinel://a/main",
         {.hosts = {{"a", 26379}}, .primary = "main", .uses_tls = true},
         "rediss+sentinel://a:26379/main"},
    };
    for (const auto& c : cases) {
        const auto p = parse_store_address(c.text);
        EXPECT_EQ(p.fault, std::nullopt) << c.text;
        EXPECT_EQ(p.address, c.address) << c.text;
        EXPECT_EQ(to_string(p.address), c.shown);
    }
}

TEST(store_address, has_no_path_that_a_socket_cannot_have) {
    const auto longest = "unix:///" + std::string(106, 'a');
    EXPECT_EQ(parse_store_address(longest).fault, std::nullopt);
    EXPECT_THAT(parse_store_address(longest + "a").fault.value_or(""), HasSubstr("107 bytes"));
}

TEST(store_address, has_a_fault_that_reports_what_is_wrong) {
    const std::pair<const char*, const char*> cases[]{
        {"", "redis://"},
        {"http://store", "redis://"},
        {"redis://", "no host"},
        {"redis://a,b", "several hosts"},
        {"redis://a:0", "\"a:0\""},
        {"redis://a:70000", "\"a:70000\""},
        {"redis://a b", "\"a b\""},
        {"redis://[::1", "\"[::1\""},
        {"redis://a/x", "\"x\""},
        {"redis://a/-1", "\"-1\""},
        {"unix://socket", "begins with \"/\""},
        {"redis+sentinel://a", "name of the primary"},
        {"redis://me:secret@a", "TANDEM_CLUSTER_PASSWORD"},
    };
    for (const auto& [text, words] : cases) {
        const auto p = parse_store_address(text);
        ASSERT_TRUE(p.fault) << text;
        EXPECT_THAT(*p.fault, HasSubstr(words)) << text;
        EXPECT_THAT(*p.fault, testing::Not(HasSubstr("secret")));
    }
}

}  // namespace
