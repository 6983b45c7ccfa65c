#include "transport/curl_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::transport {
namespace {

using testing::HasSubstr;

TEST(curl_errors, quote_libcurls_words_as_valid_text_in_one_line) {
    const auto why =
        describe(CURLE_PEER_FAILED_VERIFICATION,
                 {.url = "https://a", .https = true, .detail = "no match for 'b\xFF\r\nc'"});
    EXPECT_THAT(why.diag.client_message, HasSubstr("(no match for 'b\xEF\xBF\xBD  c')"));
}

}  // namespace
}  // namespace tandem::transport
