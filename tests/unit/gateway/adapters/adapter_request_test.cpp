#include "gateway/adapters/adapter_request.hpp"

#include "gateway/adapters/adapter_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <variant>

namespace tandem::gateway {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

class lora_field : public ::testing::Test {
 protected:
    bool read(const std::string& body) {
        out_.reset();
        fields_ = {};
        return read_lora(fields_, ordered_json::parse(body), out_);
    }
    std::string fault_at(const std::string& body) {
        return read(body) ? "" : std::move(fields_).fault().param;
    }
    field_reader fields_;
    std::optional<std::vector<requested_adapter>> out_;
};

TEST_F(lora_field, is_a_list_of_names_with_scales) {
    ASSERT_TRUE(read(R"({"lora": [{"id": "formal", "scale": 0.5}, {"id": 2}]})"));
    EXPECT_EQ(*out_, (std::vector<requested_adapter>{{"formal", 0.5}, {"2", 1.0}}));
}

TEST_F(lora_field, may_be_empty_which_is_not_absent) {
    ASSERT_TRUE(read(R"({"lora": []})"));
    EXPECT_TRUE(out_);
    ASSERT_TRUE(read("{}"));
    EXPECT_FALSE(out_);
    ASSERT_TRUE(read(R"({"lora": null})"));
    EXPECT_FALSE(out_);
}

TEST_F(lora_field, is_refused_by_its_path) {
    EXPECT_EQ(fault_at(R"({"lora": {"id": "a"}})"), "lora");
    EXPECT_EQ(fault_at(R"({"lora": ["a"]})"), "lora[0]");
    EXPECT_EQ(fault_at(R"({"lora": [{"scale": 1}]})"), "lora[0].id");
    EXPECT_EQ(fault_at(R"({"lora": [{"id": "a"}, {"id": true}]})"), "lora[1].id");
    EXPECT_EQ(fault_at(R"({"lora": [{"id": "a", "scale": 101}]})"), "lora[0].scale");
    EXPECT_EQ(fault_at(R"({"lora": [{"id": "a", "scale": "1"}]})"), "lora[0].scale");
    ordered_json many{{"lora", std::vector<ordered_json>(65, ordered_json{{"id", "a"}})}};
    EXPECT_EQ(fault_at(many.dump()), "lora");
}

TEST(load_request, has_a_scale_or_none) {
    EXPECT_EQ(std::get<double>(read_load_request("", 100)), 1.0);
    EXPECT_EQ(std::get<double>(read_load_request("{}", 100)), 1.0);
    EXPECT_EQ(std::get<double>(read_load_request(R"({"scale": 0})", 100)), 0.0);
    EXPECT_EQ(std::get<api_error>(read_load_request(R"({"scale": -101})", 100)).param, "scale");
    EXPECT_EQ(std::get<api_error>(read_load_request("scale", 100)).status, 400);
}

TEST(adapter_answer, lists_what_is_allowed_and_how_much_it_counts) {
    adapter_set set({{"formal", 3}}, std::vector<std::string>{"talk"});
    set.set_deployed_scale("formal", 0.5);
    EXPECT_EQ(adapter_list_body(set),
              R"({"object":"list","data":[{"id":"formal","object":"adapter","model":"talk",)"
              R"("server_id":3,"scale":0.5}]})");
}

TEST(adapter_answer, reports_a_job) {
    const adapter_job job{.id = "job-1",
                          .adapter = "formal",
                          .scale = 0.5,
                          .state = adapter_job_state::failed,
                          .fault = "why",
                          .servers = {{"http://a:1", "away"}, {"http://b:1", ""}},
                          .created = 100,
                          .finished = 101};
    EXPECT_EQ(job_accepted_body(job), R"({"job":"job-1"})");
    EXPECT_EQ(job_body(job),
              R"({"id":"job-1","object":"adapter.job","adapter":"formal","scale":0.5,)"
              R"("state":"failed","error":"why","servers":[{"server":"http://a:1","error":"away"},)"
              R"({"server":"http://b:1","error":null}],"created":100,"finished":101})");
    EXPECT_THAT(job_body({.id = "job-2"}), HasSubstr(R"("finished":null)"));
    EXPECT_EQ(make_job_not_found_error("x").status, 404);
}

}  // namespace
}  // namespace tandem::gateway
