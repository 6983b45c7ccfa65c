#include "gateway/requests/call_markup.hpp"

#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

const text_parameters texts{{"f", "zip"}};

std::string arguments(const std::optional<written_call>& call) {
    return call ? call->name + call->arguments : "none";
}

TEST(call_markup, reads_values_as_their_parameters_are_declared) {
    EXPECT_EQ(arguments(read_function_markup("<function=f><parameter=zip>\n53111\n</parameter>"
                                             "<parameter=n>\n5\n</parameter></function>",
                                             texts)),
              R"(f{"zip":"53111","n":5})");
    EXPECT_EQ(
        arguments(read_key_value_markup("f\n<arg_key>zip</arg_key>\n<arg_value>5</arg_value>\n"
                                        "<arg_key>n</arg_key>\n<arg_value>[1]</arg_value>",
                                        texts)),
        R"(f{"zip":"5","n":[1]})");
}

TEST(call_markup, keeps_lines_and_brackets_of_a_text) {
    EXPECT_EQ(arguments(read_function_markup("<function=f><parameter=a>\nif (a < b)\n  \"x\"\n\n"
                                             "</parameter></function>",
                                             {})),
              R"(f{"a":"if (a < b)\n  \"x\"\n"})");
}

TEST(call_markup, reads_lists_objects_and_texts_of_gemma) {
    EXPECT_EQ(arguments(read_gemma_call("call:f{a:[1,true,<|\"|>x: \"y\", {z}<|\"|>],b:{c:null}}")),
              R"(f{"a":[1,true,"x: \"y\", {z}"],"b":{"c":null}})");
    EXPECT_EQ(arguments(read_gemma_call("call:f{}")), "f{}");
}

TEST(call_markup, is_none_where_something_is_missing) {
    for (const auto* text :
         {"", "<function=f>", "<function=>\n</function>", "<function=a b></function>",
          "<function=f></function>x", "<function=f><parameter=a></function>"})
        EXPECT_FALSE(read_function_markup(text, {})) << text;
    for (const auto* text : {"", "f x", "f<arg_key>a", "f<arg_key>a</arg_key>b", "f()"})
        EXPECT_FALSE(read_key_value_markup(text, {})) << text;
    for (const auto* text : {"", "f{}", "call:{}"}) EXPECT_FALSE(read_gemma_call(text)) << text;
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
