#include "gateway/access/credential.hpp"

#include "gateway/access/api_keys.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::string_literals;
using tandem::gateway::credential;
using tandem::gateway::max_key_bytes;
using tandem::gateway::parse_credential;

// The key as "<…>", or the reason why there is none.
std::string shown(const credential& c) {
    switch (c.what) {
        case credential::kind::missing:
            return "missing";
        case credential::kind::malformed:
            return "malformed";
        case credential::kind::key:
            return "<" + std::string(c.key) + ">";
    }
    return {};
}

struct header_case {
    std::string value;
    std::string expected;
};

class authorization : public ::testing::TestWithParam<header_case> {};

TEST_P(authorization, has_a_key_after_its_scheme) {
    const auto& c = GetParam();
    EXPECT_EQ(shown(parse_credential(c.value, "")), c.expected) << c.value.substr(0, 80);
}

INSTANTIATE_TEST_SUITE_P(
    good, authorization,
    ::testing::Values(header_case{"Bearer tdm_a-Z_9", "<tdm_a-Z_9>"},
                      header_case{"bearer k", "<k>"}, header_case{"BEARER k", "<k>"},
                      header_case{"Bearer    k", "<k>"}, header_case{" \tBearer\tk \t", "<k>"},
                      header_case{"Bearer Bearer", "<Bearer>"},
                      header_case{"Bearer a,b;c=\"d\"", "<a,b;c=\"d\">"},
                      header_case{"Bearer " + std::string(max_key_bytes, 'k'),
                                  "<" + std::string(max_key_bytes, 'k') + ">"}));

INSTANTIATE_TEST_SUITE_P(
    bad, authorization,
    ::testing::Values(header_case{"", "missing"}, header_case{" \t ", "missing"},
                      header_case{"Bearer", "malformed"}, header_case{"Bearer ", "malformed"},
                      header_case{"Bearerk", "malformed"}, header_case{"Bearer: k", "malformed"},
                      header_case{"tdm_key", "malformed"},
                      header_case{"Basic dXNlcjpwYXNz", "malformed"},
                      header_case{"Bearer a b", "malformed"},
                      header_case{"Bearer a\tb", "malformed"},
                      header_case{"Bearer a, Bearer b", "malformed"}));

INSTANTIATE_TEST_SUITE_P(
    hostile, authorization,
    ::testing::Values(header_case{"Bearer a\0b"s, "malformed"}, header_case{"\0"s, "malformed"},
                      header_case{"Bearer\0k"s, "malformed"},
                      header_case{"Bearer a\nb", "malformed"},
                      header_case{"Bearer \x7F", "malformed"},
                      header_case{"Bearer k\xC3\xA4", "malformed"},
                      header_case{"Bearer \xFF\xFE", "malformed"},
                      header_case{"B\xC3\xAB"
                                  "arer k",
                                  "malformed"},
                      header_case{"Bearer " + std::string(max_key_bytes + 1, 'k'), "malformed"},
                      header_case{"Bearer " + std::string(1 << 20, 'k'), "malformed"},
                      header_case{std::string(1 << 20, ' '), "malformed"}));

class subprotocols : public ::testing::TestWithParam<header_case> {};

TEST_P(subprotocols, may_have_a_key_among_them) {
    const auto& c = GetParam();
    EXPECT_EQ(shown(parse_credential("", c.value)), c.expected) << c.value.substr(0, 80);
}

INSTANTIATE_TEST_SUITE_P(
    of, subprotocols,
    ::testing::Values(
        header_case{"tandem-api-key.k", "<k>"},
        header_case{"tandem.v1, tandem-api-key.tdm_x-_", "<tdm_x-_>"},
        header_case{"tandem-api-key.k,tandem.v1", "<k>"},
        header_case{" ,\t,tandem-api-key.a.b , ", "<a.b>"}, header_case{"", "missing"},
        header_case{",,,", "missing"}, header_case{"tandem.v1", "missing"},
        header_case{"Tandem-Api-Key.k", "missing"}, header_case{"x-tandem-api-key.k", "missing"},
        header_case{"tandem-api-key.", "malformed"}, header_case{"tandem-api-key.a b", "malformed"},
        header_case{"tandem-api-key.a\0b"s, "malformed"},
        header_case{"tandem-api-key.a, tandem-api-key.b", "malformed"},
        header_case{"tandem-api-key.a, tandem-api-key.", "malformed"},
        header_case{std::string(1 << 20, ','), "malformed"},
        header_case{"tandem-api-key." + std::string(513, 'k'), "malformed"}));

TEST(parse_credential, reads_no_subprotocol_if_there_is_authorization) {
    EXPECT_EQ(shown(parse_credential("Bearer a", "tandem-api-key.b")), "<a>");
    EXPECT_EQ(shown(parse_credential("Basic a", "tandem-api-key.b")), "malformed");
}

}  // namespace
