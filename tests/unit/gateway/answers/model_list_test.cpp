#include "gateway/answers/model_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace {

using nlohmann::json;
using tandem::gateway::make_model_not_found_error;
using tandem::gateway::model_body;
using tandem::gateway::model_list_body;
using ::testing::EndsWith;

TEST(model_list, is_reported_as_openai_does) {
    EXPECT_EQ(json::parse(model_list_body(std::vector<std::string>{"a", "b"}, 7)),
              json::parse(R"({"object":"list","data":[
                  {"id":"a","object":"model","created":7,"owned_by":"tandem"},
                  {"id":"b","object":"model","created":7,"owned_by":"tandem"}]})"));
    EXPECT_EQ(json::parse(model_list_body({}, 7)), json::parse(R"({"object":"list","data":[]})"));
}

TEST(model_list, tells_one_model) {
    EXPECT_EQ(json::parse(model_body("a", 7)),
              json::parse(R"({"id":"a","object":"model","created":7,"owned_by":"tandem"})"));
}

TEST(model_list, says_of_an_unknown_model_which_there_are) {
    const auto e = make_model_not_found_error("gpt-4", std::vector<std::string>{"a", "b"});
    EXPECT_EQ(e.status, 404);
    EXPECT_EQ(e.code, "model_not_found");
    EXPECT_EQ(e.param, "model");
    EXPECT_EQ(e.message, "the model \"gpt-4\" does not exist; available: a, b");
    EXPECT_THAT(make_model_not_found_error("x", {}).message, EndsWith("available: none"));
    EXPECT_THAT(make_model_not_found_error("x", std::vector<std::string>(17, "m")).message,
                EndsWith("m, ..."));
}

}  // namespace
