#include "wire/stream/server_words.hpp"

#include "text/characters/utf8.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tandem::wire {
namespace {

TEST(ServerWords, AreOneLineWithoutControlCharacters) {
    EXPECT_EQ(server_words("a\r\nb\x1B[31mc\x7F\xC2\x85"
                           "d\xE2\x80\xA8"
                           "e"),
              "a  b [31mc  d e");
}

TEST(ServerWords, AreValidUtf8) {
    EXPECT_EQ(server_words("gr\xC3\xBC\xFF"), "gr\xC3\xBC\xEF\xBF\xBD");
}

TEST(ServerWords, AreCutOffBetweenCharacters) {
    const auto words = server_words(std::string(max_words_bytes - 1, 'a') + "\xC3\xA9");
    EXPECT_LE(words.size(), max_words_bytes);
    EXPECT_EQ(text::find_invalid(words), std::string_view::npos);
    EXPECT_LE(server_words(std::string(max_words_bytes, '\xFF')).size(), max_words_bytes);
}

}  // namespace
}  // namespace tandem::wire
