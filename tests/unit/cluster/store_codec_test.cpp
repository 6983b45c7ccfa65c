#include "cluster/store/store_codec.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace tandem::cluster;

std::vector<store_answer> read_all(store_answer_reader& reader) {
    std::vector<store_answer> all;
    while (auto a = reader.next()) all.push_back(std::move(*a));
    return all;
}

const std::string stream =
    "+OK\r\n:-7\r\n$5\r\na\r\nbc\r\n$-1\r\n-ERR no\r\n*2\r\n:1\r\n*1\r\n$1\r\nx\r\n*0\r\n";

std::vector<store_answer> answers() {
    using enum answer_kind;
    const store_answer x{.kind = text, .text = "x"};
    const store_answer one{.kind = integer, .number = 1};
    return {{.kind = text, .text = "OK"},
            {.kind = integer, .number = -7},
            {.kind = text, .text = "a\r\nbc"},
            {},
            {.kind = error, .text = "ERR no"},
            {.kind = list, .items = {one, {.kind = list, .items = {x}}}},
            {.kind = list}};
}

TEST(store_codec, encodes_words_of_any_bytes) {
    EXPECT_EQ(encode_command({"SET", "k", std::string("a\0\r\n", 4)}),
              std::string("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\0\r\n\r\n", 30));
}

TEST(store_codec, reads_answers_cut_anywhere) {
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        store_answer_reader reader;
        ASSERT_TRUE(reader.feed(stream.substr(0, cut)));
        auto all = read_all(reader);
        ASSERT_TRUE(reader.feed(stream.substr(cut)));
        for (auto& a : read_all(reader)) all.push_back(std::move(a));
        EXPECT_EQ(all, answers()) << cut;
    }
}

TEST(store_codec, ends_at_bytes_that_are_no_answer) {
    for (const auto* bytes : {"HTTP/1.1 400\r\n", "*2147483647\r\n", "*200000\r\n", ":x\r\n"}) {
        store_answer_reader reader;
        reader.feed(bytes);
        EXPECT_EQ(reader.next(), std::nullopt) << bytes;
        EXPECT_FALSE(reader.fault().empty()) << bytes;
        EXPECT_FALSE(reader.feed("+OK\r\n"));
    }
}

TEST(store_codec, bounds_the_items_of_all_lists_of_an_answer) {
    std::string bytes = "*3\r\n";
    for (int list = 0; list < 3; ++list) {
        bytes += "*40000\r\n";
        for (int i = 0; i < 40'000; ++i) bytes += ":1\r\n";
    }
    store_answer_reader reader;
    ASSERT_TRUE(reader.feed(bytes));
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_FALSE(reader.fault().empty());
}

TEST(store_codec, bounds_each_answer_alone) {
    std::string list = "*60000\r\n";
    for (int i = 0; i < 60'000; ++i) list += ":1\r\n";
    store_answer_reader reader;
    ASSERT_TRUE(reader.feed(list + list));
    EXPECT_EQ(read_all(reader).size(), 2u);
}

TEST(store_codec, ends_at_lists_that_are_nested_too_deeply) {
    store_answer_reader reader;
    std::string deep;
    for (int i = 0; i < 20; ++i) deep += "*1\r\n";
    reader.feed(deep);
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_FALSE(reader.fault().empty());
}

}  // namespace
