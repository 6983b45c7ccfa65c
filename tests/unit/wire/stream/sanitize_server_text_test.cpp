#include "wire/stream/sanitize_server_text.hpp"

#include "text/characters/utf8.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tandem::wire {
namespace {

TEST(ServerWords, AreOneLineWithoutControlCharacters) {
    EXPECT_EQ(sanitize_server_text("a\r\nb\x1B[31mc\x7F\xC2\x85"
                                   "d\xE2\x80\xA8"
                                   "e"),
              "a  b [31mc  d e");
}

TEST(ServerWords, AreValidUtf8) {
    EXPECT_EQ(sanitize_server_text("gr\xC3\xBC\xFF"), "gr\xC3\xBC\xEF\xBF\xBD");
}

TEST(ServerWords, AreCutOffBetweenCharacters) {
    const auto words =
        sanitize_server_text(std::string(max_server_text_bytes - 1, 'a') + "\xC3\xA9");
    EXPECT_LE(words.size(), max_server_text_bytes);
    EXPECT_EQ(text::find_invalid_utf8(words), std::string_view::npos);
    EXPECT_LE(sanitize_server_text(std::string(max_server_text_bytes, '\xFF')).size(),
              max_server_text_bytes);
}

}  // namespace
}  // namespace tandem::wire
