#include "wire/calls/tool_call_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::wire {
namespace {

struct whole_call {
    std::string name{};
    std::string arguments{};
};

/// Reads the text as it grows by this many bytes at a time.
whole_call read(std::string_view text, std::size_t step) {
    tool_call_reader reader;
    whole_call all;
    for (std::size_t bytes = 0; bytes < text.size();) {
        bytes = std::min(bytes + step, text.size());
        const auto piece = reader.read(text.substr(0, bytes));
        EXPECT_TRUE(piece.name.empty() || all.name.empty()) << "the name is told once";
        EXPECT_TRUE(piece.arguments.empty() || !(all.name + piece.name).empty());
        all.name += piece.name;
        all.arguments += piece.arguments;
    }
    return all;
}

TEST(tool_call_reader, has_the_name_and_then_the_arguments_piece_by_piece) {
    const std::string arguments = R"({"a": {"b": ["}", {}]}, "c": "\\\"}", "d": "{"})";
    for (const auto* head : {R"({"name":"f","parameters":)", R"( { "name" : "f" ,
                             "parameters" : )"})
        for (const std::size_t step : {1u, 2u, 7u, 1000u}) {
            const auto call = read(head + arguments + "}\n", step);
            EXPECT_EQ(call.name, "f");
            EXPECT_EQ(call.arguments, arguments) << step;
        }
}

TEST(tool_call_reader, has_the_arguments_so_far) {
    const auto call = read(R"({"name":"f","parameters":{"a":"b)", 1);
    EXPECT_EQ(call.name, "f");
    EXPECT_EQ(call.arguments, R"({"a":"b)");
}

TEST(tool_call_reader, has_no_piece_of_other_text) {
    for (const std::string text :
         {"Hello", "{}", R"({"name":"f")", R"({"name":"f","parameters":)", R"({"parameters":{}})",
          R"({"name":"f","parameters":"x"})", R"({"name":"\u0066","parameters":{}})"}) {
        const auto call = read(text, 1);
        EXPECT_EQ(call.name + call.arguments, "") << text;
    }
    const std::string endless = R"({"name":")" + std::string(5'000, 'f');
    EXPECT_EQ(read(endless + R"(","parameters":{}})", 1).name, "");
}

}  // namespace
}  // namespace tandem::wire
