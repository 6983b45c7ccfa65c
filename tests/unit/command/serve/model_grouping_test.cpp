#include "serve/model_grouping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::command {
namespace {

using gateway::model_servers;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(model_grouping, puts_servers_of_one_model_together) {
    const auto g = group_by_model({{"talk", "a"}, {"code", "b"}, {"talk", "c"}});
    EXPECT_THAT(g.models,
                ElementsAre(model_servers{"talk", {"a", "c"}}, model_servers{"code", {"b"}}));
    EXPECT_THAT(g.left_out, IsEmpty());
}

TEST(model_grouping, gives_a_silent_server_the_only_model) {
    const auto g = group_by_model({{"", "a"}, {"talk", "b"}});
    EXPECT_THAT(g.models, ElementsAre(model_servers{"talk", {"a", "b"}}));
    EXPECT_THAT(g.left_out, IsEmpty());
}

TEST(model_grouping, calls_it_default_if_nobody_knows) {
    EXPECT_THAT(group_by_model({{"", "a"}, {"", "b"}}).models,
                ElementsAre(model_servers{"default", {"a", "b"}}));
}

TEST(to_client_model_name, is_the_file_of_a_path_and_any_other_name_itself) {
    EXPECT_EQ(to_client_model_name("/srv/models/talk.gguf"), "talk.gguf");
    EXPECT_EQ(to_client_model_name("talk"), "talk");
    EXPECT_EQ(to_client_model_name("org/talk:q4"), "org/talk:q4");
    EXPECT_EQ(to_client_model_name("/srv/models/"), "");
    EXPECT_EQ(to_client_model_name(""), "");
}

TEST(model_grouping, does_not_guess_among_several) {
    const auto g = group_by_model({{"", "a"}, {"talk", "b"}, {"code", "c"}});
    EXPECT_THAT(g.models, ElementsAre(model_servers{"talk", {"b"}}, model_servers{"code", {"c"}}));
    EXPECT_THAT(g.left_out, ElementsAre("a"));
}

}  // namespace
}  // namespace tandem::command
