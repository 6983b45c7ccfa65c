#include "gateway/json/request_body.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace tandem::gateway {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

constexpr std::size_t enough = std::size_t{64} << 20;

/// The reason why the body is refused, or an empty string.
std::string body_refusal(const std::string& body, std::size_t most = enough) {
    ordered_json out;
    const auto fault = parse_body(body, most, out);
    EXPECT_EQ(out.is_null(), fault.has_value());
    return fault ? fault->message : "";
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

TEST(request_body, is_one_json_object) {
    EXPECT_EQ(body_refusal(R"( {"a":[1,"x",null,true,2.5,{}]} )"), "");
    for (const char* body : {"", "{", "{}x", R"({"a":01})", R"({'a':1})", R"({"a":1e999})",
                             "{\"a\":\"\xff\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\x01\"}"})
        EXPECT_THAT(body_refusal(body), HasSubstr("is not valid JSON near byte")) << body;
    for (const char* body : {"[]", "1", "null", R"("a")"})
        EXPECT_THAT(body_refusal(body), HasSubstr("is not a JSON object")) << body;
    EXPECT_THAT(body_refusal(std::string("{}\0garbage", 10)), HasSubstr("has a NUL byte"));
}

TEST(request_body, is_refused_by_a_code) {
    ordered_json out;
    EXPECT_EQ(parse_body("{", enough, out)->code, "invalid_json");
    EXPECT_EQ(parse_body("[]", enough, out)->code, "invalid_json");
    EXPECT_EQ(parse_body("{}", 1, out)->code, "body_too_large");
}

TEST(request_body, keeps_the_order_of_its_members) {
    ordered_json out;
    ASSERT_FALSE(parse_body(R"({"z":1,"a":{"y":2,"b":3}})", enough, out));
    EXPECT_EQ(out.dump(), R"({"z":1,"a":{"y":2,"b":3}})");
}

TEST(request_body, is_refused_with_413_if_it_is_too_large) {
    ordered_json out;
    EXPECT_EQ(body_refusal("{}", 2), "");
    const auto fault = parse_body("{ }", 2, out);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->status, 413);
    EXPECT_EQ(fault->message, "the request's body has 3 bytes; the maximum is 2");
}

TEST(request_body, is_refused_if_a_field_appears_twice) {
    ordered_json out;
    const auto fault =
        parse_body(R"({"messages":[{"role":"user"},{"role":"user","role":"tool"}]})", enough, out);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->status, 400);
    EXPECT_EQ(fault->code, "invalid_value");
    EXPECT_EQ(fault->param, "messages[1].role");
    EXPECT_EQ(fault->message, "messages[1].role appears twice; send it once");
    EXPECT_TRUE(out.is_null());
}

TEST(request_body, has_bounds_of_its_depth_values_and_keys) {
    const auto nested = [](int lists) {
        return R"({"a":)" + repeated("[", static_cast<std::size_t>(lists)) +
               repeated("]", static_cast<std::size_t>(lists)) + "}";
    };
    EXPECT_EQ(body_refusal(nested(max_body_depth - 1)), "");
    EXPECT_THAT(body_refusal(nested(max_body_depth)), HasSubstr("nested deeper than 64"));

    // Four of the `n` values are the object, its key, the list and the first 0.
    const auto values = [](std::size_t n) { return R"({"a":[0)" + repeated(",0", n - 4) + "]}"; };
    EXPECT_EQ(body_refusal(values(max_body_values)), "");
    EXPECT_THAT(body_refusal(values(max_body_values + 1)), HasSubstr("more than 200000 values"));

    const auto keys = [](std::size_t n) {
        std::string body = "{";
        for (std::size_t i = 0; i < n; ++i) body += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
        return body + "}";
    };
    EXPECT_EQ(body_refusal(keys(max_object_keys)), "");
    EXPECT_THAT(body_refusal(keys(max_object_keys + 1)), HasSubstr("more than 1024 keys"));
}

TEST(request_body, is_not_read_to_its_end_if_it_is_nested_without_end) {
    EXPECT_THAT(body_refusal(repeated("[", 1'000'000)), HasSubstr("nested deeper"));
    EXPECT_THAT(body_refusal(repeated("{\"a\":", 1'000'000)), HasSubstr("nested deeper"));
}

}  // namespace
}  // namespace tandem::gateway
