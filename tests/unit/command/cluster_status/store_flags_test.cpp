#include "cluster_status/store_flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct store_arguments {
    std::optional<cluster::cluster_options> read(std::vector<std::string> arguments,
                                                 const environment& variables = {}) {
        CLI::App app;
        store_flags flags;
        flags.add_to(app, true);
        std::ranges::reverse(arguments);  // the order that CLI11 expects
        app.parse(std::move(arguments));
        return flags.read(variables, faults);
    }

    std::vector<std::string> faults{};
};

TEST(store_flags, are_no_cluster_if_there_are_none) {
    store_arguments a;
    EXPECT_FALSE(a.read({}));
    EXPECT_THAT(a.faults, IsEmpty());
}

TEST(store_flags, have_a_name_and_an_id_unless_they_are_given) {
    store_arguments a;
    const auto plain = a.read({"--cluster", "redis://valkey"});
    EXPECT_EQ(plain->name, "tandem");
    EXPECT_NE(plain->gateway_id, "");
    const auto named =
        a.read({"--cluster", "redis://valkey", "--cluster-name", "blue", "--gateway-id", "g1"},
               {{"TANDEM_CLUSTER_PASSWORD", "secret"}});
    EXPECT_EQ(named->name, "blue");
    EXPECT_EQ(named->gateway_id, "g1");
    EXPECT_EQ(named->password, "secret");
    EXPECT_THAT(a.faults, IsEmpty());
}

TEST(store_flags, are_refused_without_the_store) {
    store_arguments a;
    EXPECT_FALSE(a.read({"--cluster-name", "blue", "--gateway-id", "g1"}));
    EXPECT_THAT(a.faults, ElementsAre("--gateway-id requires --cluster URL",
                                      "--cluster-name requires --cluster URL"));
}

TEST(store_flags, are_refused_with_names_that_cannot_be_keys) {
    store_arguments a;
    a.read({"--cluster", "redis://valkey", "--cluster-name", "a b", "--gateway-id", "a:b"});
    EXPECT_THAT(a.faults,
                ElementsAre(HasSubstr("--cluster-name is a b"), HasSubstr("--gateway-id is a:b")));
}

}  // namespace
}  // namespace tandem::command
