#include "gateway/requests/call_markup.hpp"

#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

const text_parameters texts{{"f", "zip", false}, {"f", "note", true}};

std::string arguments(const std::optional<parsed_call>& call) {
    return call ? call->name + call->arguments : "none";
}

std::string arguments(const std::vector<parsed_call>& calls) {
    std::string all;
    for (const auto& c : calls) all += c.name + c.arguments;
    return calls.empty() ? "none" : all;
}

TEST(call_markup, reads_values_as_their_parameters_are_declared) {
    EXPECT_EQ(arguments(parse_function_markup("<function=f><parameter=zip>\n53111\n</parameter>"
                                              "<parameter=n>\n5\n</parameter></function>",
                                              texts)),
              R"(f{"zip":"53111","n":5})");
    EXPECT_EQ(
        arguments(parse_key_value_markup("f\n<arg_key>zip</arg_key>\n<arg_value>5</arg_value>\n"
                                         "<arg_key>n</arg_key>\n<arg_value>[1]</arg_value>",
                                         texts)),
        R"(f{"zip":"5","n":[1]})");
}

TEST(call_markup, reads_null_as_null_where_a_text_may_be_null) {
    const struct {
        const char *key, *value, *read;
    } rows[] = {
        {"note", "null", R"(f{"note":null})"},   {"note", "5", R"(f{"note":"5"})"},
        {"zip", "null", R"(f{"zip":"null"})"},   {"note", "nullable", R"(f{"note":"nullable"})"},
        {"other", "null", R"(f{"other":null})"},
    };
    for (const auto& row : rows) {
        const std::string key = row.key, value = row.value;
        EXPECT_EQ(arguments(parse_function_markup(
                      "<function=f><parameter=" + key + ">\n" + value + "\n</parameter></function>",
                      texts)),
                  row.read);
        EXPECT_EQ(
            arguments(parse_key_value_markup(
                "f<arg_key>" + key + "</arg_key><arg_value>" + value + "</arg_value>", texts)),
            row.read);
    }
}

TEST(call_markup, reads_each_function_of_several) {
    EXPECT_EQ(arguments(parse_function_markup("\n<function=f>\n<parameter=zip>\n1\n</parameter>\n"
                                              "</function>\n<function=g>\n</function>\n",
                                              texts)),
              R"(f{"zip":"1"}g{})");
}

TEST(call_markup, keeps_lines_and_brackets_of_a_text) {
    EXPECT_EQ(arguments(parse_function_markup("<function=f><parameter=a>\nif (a < b)\n  \"x\"\n\n"
                                              "</parameter></function>",
                                              {})),
              R"(f{"a":"if (a < b)\n  \"x\"\n"})");
}

TEST(call_markup, reads_lists_objects_and_texts_of_gemma) {
    EXPECT_EQ(
        arguments(parse_gemma_call("call:f{a:[1,true,<|\"|>x: \"y\", {z}<|\"|>],b:{c:null}}")),
        R"(f{"a":[1,true,"x: \"y\", {z}"],"b":{"c":null}})");
    EXPECT_EQ(arguments(parse_gemma_call("call:f{}")), "f{}");
}

TEST(call_markup, is_none_where_something_is_missing) {
    for (const auto* text :
         {"", "<function=f>", "<function=>\n</function>", "<function=a b></function>",
          "<function=f></function>x", "<function=f></function><function=g>",
          "<function=f><parameter=a></function>"})
        EXPECT_TRUE(parse_function_markup(text, {}).empty()) << text;
    for (const auto* text : {"", "f x", "f<arg_key>a", "f<arg_key>a</arg_key>b", "f()"})
        EXPECT_FALSE(parse_key_value_markup(text, {})) << text;
    for (const auto* text : {"", "f{}", "call:{}"}) EXPECT_FALSE(parse_gemma_call(text)) << text;
}

TEST(call_markup, finds_the_header_of_a_call_in_a_channel) {
    for (const std::string header :
         {"<|channel|>commentary to=functions.f <|constrain|>json<|message|>",
          "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>",
          "to=functions.f<|message|>"}) {
        const auto text = "Hm." + header + "{\"a\":1}<|call|>";
        const auto found = find_channel_call(text);
        ASSERT_TRUE(found) << header;
        EXPECT_EQ(found->name, "f");
        EXPECT_EQ(found->arguments, "{\"a\":1}");
        EXPECT_EQ(found->at, 3u) << header;
    }
    EXPECT_FALSE(find_channel_call("to=functions.f"));
    EXPECT_FALSE(find_channel_call("I write to=functions.f and <|message|> behind it."));
}

}  // namespace
}  // namespace tandem::gateway
