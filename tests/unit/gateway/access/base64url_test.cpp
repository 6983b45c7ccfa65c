#include "gateway/access/base64url.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {
namespace {

std::string encoded(std::string_view bytes) {
    return encode_base64url(std::vector<unsigned char>(bytes.begin(), bytes.end()));
}

TEST(base64url, is_as_the_rfc_has_it_without_padding) {
    EXPECT_EQ(encoded(""), "");
    EXPECT_EQ(encoded("f"), "Zg");
    EXPECT_EQ(encoded("fo"), "Zm8");
    EXPECT_EQ(encoded("foo"), "Zm9v");
    EXPECT_EQ(encoded("foob"), "Zm9vYg");
    EXPECT_EQ(encoded("fooba"), "Zm9vYmE");
    EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(base64url, has_what_may_stand_in_a_url) {
    EXPECT_EQ(encoded("\xFB\xEF\xBE\xFF\xFF\xFF"), "----____");
}

}  // namespace
}  // namespace tandem::gateway
