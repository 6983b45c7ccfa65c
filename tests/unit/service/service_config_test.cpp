#include "tandem/service_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::placement;
using tandem::server_status;
using tandem::service_config;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> faulty_fields(const service_config& c) {
    std::vector<std::string> fields;
    for (const auto& fault : check(c)) fields.push_back(fault.field);
    return fields;
}

TEST(service_config, is_usable_as_it_comes) {
    EXPECT_THAT(check(service_config{}), IsEmpty());
}

TEST(service_config, bounds_the_list_of_servers) {
    service_config c;
    for (int i = 0; i < 257; ++i) c.servers.push_back("http://host:" + std::to_string(1000 + i));
    EXPECT_THAT(faulty_fields(c), ElementsAre("servers"));
    c.servers.pop_back();
    EXPECT_THAT(check(c), IsEmpty());
}

TEST(service_config, names_the_server_that_is_wrong) {
    service_config c;
    c.servers = {"http://good:1", "gopher://user:secret@bad"};
    const auto faults = check(c);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].message, R"("gopher://bad" must begin with http:// or https://)");
}

TEST(service_config, bounds_its_numbers_on_both_sides) {
    service_config c;
    c.health_interval = 61min;
    c.placement = static_cast<placement>(7);
    EXPECT_THAT(faulty_fields(c), ElementsAre("placement", "health_interval"));
    c = {};
    c.health_interval = 1h;
    EXPECT_THAT(check(c), IsEmpty());
}

TEST(service_config, has_a_name_for_each_value) {
    EXPECT_EQ(to_string(placement::round_robin), "round_robin");
    EXPECT_EQ(to_string(placement::least_busy), "least_busy");
    using health = server_status::health;
    for (const auto h : {health::unknown, health::up, health::loading, health::down})
        EXPECT_NE(to_string(h), "");
    EXPECT_EQ(to_string(static_cast<health>(9)), "");
}

}  // namespace
