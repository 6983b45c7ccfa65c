#include "config/config_defaults.hpp"

#include "tandem/config_fields.hpp"
#include "tandem/service_config.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using namespace tandem;
using namespace tandem::detail;

TEST(values_of_a_client, stand_in_for_what_nobody_set) {
    const auto c = apply_client_sampling_defaults({});
    EXPECT_EQ(c.generation.temperature, 0);
    EXPECT_EQ(c.generation.repeat_penalty, 1.1);
    EXPECT_EQ(c.generation.seed, std::nullopt);
}

TEST(values_of_a_client, leave_what_somebody_set) {
    const auto c = apply_client_sampling_defaults({.generation = {.temperature = 0.7}});
    EXPECT_EQ(c.generation.temperature, 0.7);
    EXPECT_EQ(c.generation.top_k, 40);
}

TEST(sampling, of_a_reply_is_that_of_the_configuration_if_it_has_none) {
    const generation_options usual{.temperature = 0.5, .top_k = 7, .seed = 3};
    const auto o = merge_sampling_defaults({.max_tokens = 9, .temperature = 1.0}, usual);
    EXPECT_EQ(o.max_tokens, 9);
    EXPECT_EQ(o.temperature, 1.0);
    EXPECT_EQ(o.top_k, 7);
    EXPECT_EQ(o.seed, 3);
    EXPECT_EQ(o.top_p, std::nullopt) << "the server's own setting holds";
}

TEST(a_field_of_the_configuration, that_is_not_set_has_no_text) {
    for (const auto* name : {"slots", "reuse_guard", "temperature", "top_k", "seed"})
        EXPECT_EQ(field_text(config{}, name), "") << name;
}

TEST(a_servers_key, changes_no_other_field) {
    const service_config c{.client = {.server = {.api_key = "k"}}};
    EXPECT_EQ(c.client.server.slots, std::nullopt) << "all of them";
}

TEST(configured_reuse_guard, is_none_if_the_build_decides) {
    EXPECT_EQ(configured_reuse_guard({}), std::nullopt);
    EXPECT_EQ(configured_reuse_guard({.server = {.reuse_guard = auto_guard}}), std::nullopt);
    EXPECT_EQ(configured_reuse_guard({.server = {.reuse_guard = 1s}}), 1s);
}

}  // namespace
