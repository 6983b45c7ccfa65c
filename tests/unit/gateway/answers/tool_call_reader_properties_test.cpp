// Random texts in random pieces.

#include "gateway/answers/tool_call_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>

namespace tandem::gateway {
namespace {

using ::testing::IsEmpty;

const call_rules two_functions{.functions = {"now", "weather"}};

/// The whole output of the reader, in order. A call is written as [name(arguments)].
struct transcript {
    std::string text;
    std::string calls;
    std::set<call_fault> faults;
    bool operator==(const transcript&) const = default;
};

void add(const text_and_calls& more, transcript& all) {
    all.text += more.text;
    for (const auto& c : more.calls) all.calls += c.name + "(" + c.arguments + ")" + c.id + ";";
    if (more.fault != call_fault::none) all.faults.insert(more.fault);
}

transcript read_whole(const std::string& text) {
    tool_call_reader reader(two_functions);
    transcript all;
    for (const char c : text) add(reader.feed({&c, 1}), all);
    add(reader.finish(), all);
    return all;
}

class random_answers {
 public:
    explicit random_answers(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return random_() % n; }

    template <std::size_t N>
    std::string one_of(const std::array<const char*, N>& list) {
        return list[below(N)];
    }

    transcript read_in_pieces(std::string_view text) {
        tool_call_reader reader(two_functions);
        transcript all;
        while (!text.empty()) {
            const auto n = std::min(below(12), text.size());
            add(reader.feed(text.substr(0, n)), all);
            text.remove_prefix(n);
        }
        add(reader.finish(), all);
        return all;
    }

    /// A text of complete and broken marks, without a byte of a call's JSON.
    std::string text_without_calls() {
        static constexpr std::array<const char*, 22> parts{
            "Hello",      " ",     "\n",     "<",         "[",      "<tool",
            "_call>",     "[TOOL", "_CALLS", "<|python",  "_tag|>", "</tool_call>",
            "<function=", ">",     "]",      "a",         "1, ",    "é",
            "print(x)",   "noon",  "  \t",   "\"quoted\""};
        std::string text;
        for (auto n = below(20); n > 0; --n) text += one_of(parts);
        return text;
    }

    /// Parts of calls in any order.
    std::string broken_calls() {
        static constexpr std::array<const char*, 32> parts{
            "<tool_call>",
            "<|tool_call>",
            "<tool_call|>",
            "call:now{a:1}",
            "<function=now>",
            "<parameter=a>",
            "</parameter>",
            "<arg_key>a</arg_key>",
            "<arg_value>b</arg_value>",
            "</tool_call>",
            "[TOOL_CALLS]",
            "<|python_tag|>",
            "<function=now>",
            "</function>",
            "{",
            "}",
            "[",
            "]",
            "\"name\"",
            ":",
            "\"now\"",
            "\"arguments\"",
            ",",
            "\"",
            "\\",
            " ",
            ";",
            "now",
            "[ARGS]",
            "{\"name\":\"now\"}",
            "{\"name\":\"weather\",\"parameters\":{}}",
            "text"};
        std::string text;
        for (auto n = below(30); n > 0; --n) text += one_of(parts);
        return text;
    }

    std::string call() {
        static constexpr std::array<const char*, 4> arguments{
            "{}", "{\"a\": 1}", "{\"b\":\"</tool_call>[\\\"<\"}", "{\"c\":[{\"d\":null}]}"};
        const auto a = one_of(arguments);
        calls_ += "now(" + a + ")";
        return one_of(std::array{" ", "\n", ""}) + "<tool_call>" + one_of(std::array{"\n", ""}) +
               "{\"name\": \"now\", \"arguments\": " + a + "}" + one_of(std::array{"\n", ""}) +
               "</tool_call>";
    }
    std::string calls() { return std::exchange(calls_, {}); }

 private:
    std::mt19937 random_;
    std::string calls_;
};

TEST(tool_call_reader_properties, text_without_calls_comes_out_unchanged) {
    random_answers random(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto text = random.text_without_calls();
        const auto all = random.read_in_pieces(text);
        ASSERT_EQ(all.text, text);
        ASSERT_EQ(all.calls, "") << text;
    }
}

TEST(tool_call_reader_properties, all_is_the_same_however_the_text_is_divided) {
    random_answers random(2);
    std::size_t with_calls = 0;
    for (int i = 0; i < 20'000; ++i) {
        const auto text = random.broken_calls();
        const auto whole = read_whole(text);
        ASSERT_EQ(random.read_in_pieces(text), whole) << text;
        with_calls += !whole.calls.empty();
    }
    EXPECT_GT(with_calls, 1000u);
}

TEST(tool_call_reader_properties, calls_between_texts_are_found_and_the_texts_kept) {
    random_answers random(3);
    for (int i = 0; i < 5'000; ++i) {
        std::string text, words;
        for (auto n = random.below(6); n > 0; --n) {
            text += random.call();
            if (random.below(2) > 0) continue;
            text += "Words.";
            words += "Words.";
        }
        auto all = random.read_in_pieces(text);
        std::string found;
        for (std::size_t at = 0; at < all.calls.size(); at = all.calls.find(';', at) + 1) {
            const auto end = all.calls.rfind(")call", all.calls.find(';', at));
            found += all.calls.substr(at, end + 1 - at);
        }
        ASSERT_EQ(all.text, words) << text;
        ASSERT_EQ(found, random.calls()) << text;
        ASSERT_THAT(all.faults, IsEmpty()) << text;
    }
}

}  // namespace
}  // namespace tandem::gateway
