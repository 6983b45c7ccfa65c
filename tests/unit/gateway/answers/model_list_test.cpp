#include "gateway/answers/model_list.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace {

using nlohmann::json;
using tandem::gateway::model_body;
using tandem::gateway::model_list_body;

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

}  // namespace
