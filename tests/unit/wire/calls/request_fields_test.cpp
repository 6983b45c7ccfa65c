#include "wire/calls/request_fields.hpp"

#include "wire/calls/completion_request.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tandem::wire {
namespace {

using nlohmann::json;

std::string sampling_path(std::string_view object) {
    const auto fault = check_sampling_fields(object);
    return fault ? fault->path : "";
}

TEST(request_fields, take_what_llama_server_takes) {
    EXPECT_EQ(sampling_path(""), "");
    EXPECT_EQ(sampling_path("{}"), "");
    EXPECT_EQ(sampling_path(R"({"logit_bias":[[5,false],["a",-1.5]],"samplers":["typ_p"],
        "ignore_eos":true,"typical_p":0.5,"top_n_sigma":-1,"dry_multiplier":0.8,"dry_base":1.75,
        "dry_allowed_length":2,"dry_penalty_last_n":64,"dry_sequence_breakers":["\n"],
        "dynatemp_range":0.5,"dynatemp_exponent":1,"mirostat":2,"mirostat_tau":5,
        "mirostat_eta":0.1,"xtc_probability":0.5,"xtc_threshold":0.1})"),
              "");
}

TEST(request_fields, name_what_cannot_be_sent) {
    EXPECT_EQ(sampling_path("[]"), "sampling");
    EXPECT_EQ(sampling_path("{"), "sampling");
    EXPECT_EQ(sampling_path(R"({"top_n_sigma":"1"})"), "top_n_sigma");
    EXPECT_EQ(sampling_path(R"({"xtc_threshold":-0.1})"), "xtc_threshold");
    EXPECT_EQ(check_template_fields(R"({"chat_template_kwargs":{"tools":[]}})")->path,
              "chat_template_kwargs.tools");
}

TEST(request_fields, are_none_that_tandem_sends_itself) {
    const auto body = json::parse(
        encode_completion_body({.prompt = {}, .settings = encode_completion_settings({})}));
    for (const auto& member : body.items()) {
        const auto object = json{{member.key(), member.value()}}.dump();
        EXPECT_EQ(sampling_path(object), "sampling") << object;
        EXPECT_TRUE(check_template_fields(object)) << object;
    }
    EXPECT_TRUE(check_sampling_fields(R"({"n_predict":5})"));
    EXPECT_TRUE(check_sampling_fields(R"({"stop":["x"]})"));
}

}  // namespace
}  // namespace tandem::wire
