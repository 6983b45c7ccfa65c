// The load that the gateways of a cluster report to each other.

#include "cluster/shared_load.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace tandem::cluster;

TEST(shared_load, returns_from_its_text) {
    const shared_load load{{"running http://llama:8080", 2.5}, {"sessions \"talk\" \xff", 3}};
    const auto read = parse_load(serialize_load(load));
    EXPECT_EQ(find_quantity(read, "running http://llama:8080"), 2.5);
    EXPECT_EQ(read.size(), 2u);
}

TEST(shared_load, has_no_text_for_what_is_zero_or_not_finite) {
    EXPECT_EQ(
        serialize_load({{"sessions talk", 0}, {"demand talk", NAN}, {"supply talk", HUGE_VAL}}),
        "{}");
    EXPECT_EQ(find_quantity(parse_load("{}"), "sessions talk"), 0);
}

TEST(shared_load, ignores_what_is_no_number) {
    EXPECT_EQ(parse_load(R"({"a":1,"b":"2","c":null,"d":[4]})"), (shared_load{{"a", 1}}));
    for (const char* text : {"", "[1]", "{", "7"}) EXPECT_EQ(parse_load(text), shared_load{});
}

TEST(shared_load, names_the_servers_that_a_gateway_serves) {
    const std::vector<std::string> servers{"http://b", "http://c"};
    const shared_load load{{"running http://a", 2}, {name_served_servers_quantity(servers), 1}};
    EXPECT_EQ(find_served_servers(parse_load(serialize_load(load))), servers);
}

}  // namespace
