#include "base/parse_number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tandem {
namespace {

TEST(parse_number, reads_a_text_that_is_a_number_as_a_whole) {
    EXPECT_EQ(parse_number<int>("-12"), -12);
    EXPECT_EQ(parse_number<unsigned>("1f", 16), 31u);
    EXPECT_EQ(parse_number<double>("0.25"), 0.25);
}

TEST(parse_number, gives_nothing_for_any_other_text) {
    for (const auto* text : {"", " 1", "1 ", "+1", "1x", "0x1"})
        EXPECT_FALSE(parse_number<int>(text)) << text;
    EXPECT_FALSE(parse_number<std::uint16_t>("65536"));
    EXPECT_FALSE(parse_number<unsigned>("-1"));
}

}  // namespace
}  // namespace tandem
