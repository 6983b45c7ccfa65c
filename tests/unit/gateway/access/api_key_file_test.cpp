#include "gateway/access/api_key_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace std::string_literals;
using nlohmann::json;
using tandem::reply_priority;
using tandem::gateway::api_key;
using tandem::gateway::api_keys;
using tandem::gateway::hash_sha256;
using tandem::gateway::make_api_key;
using tandem::gateway::max_key_file_bytes;
using tandem::gateway::max_keys;
using tandem::gateway::parse_api_keys;
using tandem::gateway::right;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto hash_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string digits_of(int i) {
    const auto number = std::to_string(10'000 + i);
    return std::string(hash_of_abc).replace(0, number.size(), number);
}

json plain_key(const std::string& name = "bot", const std::string& sha256 = hash_of_abc) {
    return {{"name", name}, {"sha256", sha256}};
}

std::string file_of(json keys) {
    return json{{"keys", std::move(keys)}}.dump();
}

// A file with one key, in which one field has this value.
std::string with_field(const char* field, json value) {
    auto key = plain_key();
    key[field] = std::move(value);
    return file_of(json::array({std::move(key)}));
}

// "path: message" of each fault.
std::vector<std::string> faults_of(std::string_view text) {
    api_keys keys;
    std::vector<std::string> list;
    for (const auto& f : parse_api_keys(text, keys)) list.push_back(f.field + ": " + f.message);
    return list;
}

api_key only_key(const std::string& text) {
    api_keys keys;
    EXPECT_THAT(parse_api_keys(text, keys), IsEmpty()) << text;
    return keys.all().empty() ? api_key{} : keys.all().front();
}

TEST(api_key_file, gives_a_key_what_clients_need_if_it_says_nothing) {
    const auto key = only_key(file_of(json::array({plain_key("front desk")})));
    EXPECT_EQ(key.name, "front desk");
    EXPECT_EQ(key.sha256, hash_sha256("abc"));
    EXPECT_EQ(key.requests_per_minute, 0);
    EXPECT_EQ(key.tokens_per_minute, 0);
    EXPECT_EQ(key.concurrent, 0);
    EXPECT_THAT(key.models, IsEmpty());
    EXPECT_EQ(key.priority, reply_priority::normal);
    EXPECT_TRUE(key.rights.contains(right::generate) && key.rights.contains(right::read));
    EXPECT_FALSE(key.rights.contains(right::metrics) || key.rights.contains(right::admin));
}

TEST(api_key_file, reads_all_fields) {
    auto object = plain_key();
    object.update({{"requests_per_minute", 120},
                   {"tokens_per_minute", 50'000},
                   {"concurrent", 4},
                   {"models", {"talk", "org/large"}},
                   {"priority", "high"},
                   {"rights", {"metrics", "admin"}}});
    const auto key = only_key(file_of(json::array({object})));
    EXPECT_EQ(key.requests_per_minute, 120);
    EXPECT_EQ(key.tokens_per_minute, 50'000);
    EXPECT_EQ(key.concurrent, 4);
    EXPECT_THAT(key.models, ElementsAre("talk", "org/large"));
    EXPECT_EQ(key.priority, reply_priority::high);
    EXPECT_TRUE(key.rights.contains(right::metrics) && key.rights.contains(right::admin));
    EXPECT_FALSE(key.rights.contains(right::generate) || key.rights.contains(right::read));
}

TEST(api_key_file, takes_the_hash_of_a_new_key) {
    const auto made = make_api_key();
    api_keys keys;
    EXPECT_THAT(parse_api_keys(file_of(json::array({plain_key("new", made.sha256)})), keys),
                IsEmpty());
    ASSERT_NE(keys.find(made.key), nullptr);
    EXPECT_EQ(keys.find(made.key)->name, "new");
}

TEST(api_key_file, takes_hexadecimal_digits_of_both_cases) {
    auto digits = std::string(hash_of_abc);
    std::ranges::transform(digits, digits.begin(), [](char c) { return std::toupper(c); });
    EXPECT_EQ(only_key(with_field("sha256", digits)).sha256, hash_sha256("abc"));
}

TEST(api_key_file, names_all_faults_at_once) {
    auto broken = plain_key();
    broken.update({{"concurrent", -1}, {"requests_per_minut", 3}});
    EXPECT_THAT(
        faults_of(file_of(json::array({plain_key(""), broken, 7}))),
        ElementsAre("keys[0].name: must be 1 to 64 printable ASCII characters",
                    "keys[1].concurrent: is -1; it must be a whole number from 0 to 1000000",
                    "keys[1].requests_per_minut: is not a field of a key, which has name, "
                    "sha256, rights, models, priority, requests_per_minute, "
                    "tokens_per_minute, concurrent",
                    "keys[2]: is of type number, but must be an object",
                    "keys[1].sha256: is also the sha256 of keys[0]"));
}

TEST(api_key_file, names_what_is_missing_and_what_is_there_for_it) {
    EXPECT_THAT(
        faults_of(R"({"kees":[]})"),
        ElementsAre("kees: is not a field of a key file, which has only keys", "keys: is missing"));
}

TEST(api_key_file, reports_where_it_is_not_text) {
    EXPECT_THAT(faults_of("{\"keys\":\xFF}"),
                ElementsAre("key file: is not valid UTF-8 at byte 8"));
    EXPECT_THAT(faults_of("{}\0"s), ElementsAre("key file: is not JSON: it has a NUL byte"));
}

TEST(api_key_file, changes_nothing_if_there_is_a_fault) {
    api_keys keys;
    ASSERT_THAT(parse_api_keys(file_of(json::array({plain_key()})), keys), IsEmpty());
    EXPECT_THAT(parse_api_keys(file_of(json::array({plain_key("other"), 1})), keys),
                Not(IsEmpty()));
    ASSERT_NE(keys.find("abc"), nullptr);
    EXPECT_EQ(keys.find("abc")->name, "bot");
}

struct fault_case {
    std::string text;
    const char* path;
};

class fault : public ::testing::TestWithParam<fault_case> {};

TEST_P(fault, is_reported_by_its_path) {
    const auto& c = GetParam();
    EXPECT_THAT(faults_of(c.text), ElementsAre(::testing::StartsWith(c.path + ": "s))) << c.text;
}

INSTANTIATE_TEST_SUITE_P(
    of_the_file, fault,
    ::testing::Values(
        fault_case{"", "key file"}, fault_case{"{", "key file"}, fault_case{"null", "key file"},
        fault_case{"[]", "key file"}, fault_case{"\xFF\xFE{}", "key file"},
        fault_case{"{\"keys\0\":1}"s, "key file"}, fault_case{"{}\0"s, "key file"},
        fault_case{"{} {}", "key file"}, fault_case{std::string(20, '['), "key file"},
        fault_case{std::string(9, '[') + std::string(9, ']'), "key file"}, fault_case{"{}", "keys"},
        fault_case{R"({"keys":[]})", "keys"}, fault_case{R"({"keys":{}})", "keys"},
        fault_case{R"({"keys":null})", "keys"}, fault_case{R"({"keys":"tdm_x"})", "keys"},
        fault_case{R"({"keys":[],"keys":[]})", "keys"}, fault_case{R"({"keys":[[]]})", "keys[0]"}));

INSTANTIATE_TEST_SUITE_P(
    of_what_is_needed, fault,
    ::testing::Values(fault_case{file_of({{{"sha256", hash_of_abc}}}), "keys[0].name"},
                      fault_case{file_of({{{"name", "bot"}}}), "keys[0].sha256"}));

INSTANTIATE_TEST_SUITE_P(
    of_a_name, fault,
    ::testing::Values(fault_case{with_field("name", ""), "keys[0].name"},
                      fault_case{with_field("name", 5), "keys[0].name"},
                      fault_case{with_field("name", nullptr), "keys[0].name"},
                      fault_case{with_field("name", std::string(65, 'n')), "keys[0].name"},
                      fault_case{with_field("name", "a\nb"), "keys[0].name"},
                      fault_case{with_field("name", "a\0b"s), "keys[0].name"},
                      fault_case{with_field("name", "a\x7F"), "keys[0].name"},
                      fault_case{with_field("name", "\xE2\x80\xAEtob"), "keys[0].name"},
                      fault_case{with_field("name", "anonymous"), "keys[0].name"},
                      fault_case{with_field("name", "tdm_pasted"), "keys[0].name"}));

INSTANTIATE_TEST_SUITE_P(
    of_a_hash, fault,
    ::testing::Values(fault_case{with_field("sha256", ""), "keys[0].sha256"},
                      fault_case{with_field("sha256", 1), "keys[0].sha256"},
                      fault_case{with_field("sha256", std::string(63, 'a')), "keys[0].sha256"},
                      fault_case{with_field("sha256", std::string(65, 'a')), "keys[0].sha256"},
                      fault_case{with_field("sha256", std::string(63, 'a') + "g"),
                                 "keys[0].sha256"},
                      fault_case{with_field("sha256", std::string(64, '\0')), "keys[0].sha256"},
                      fault_case{with_field("sha256", std::string(64, '0')), "keys[0].sha256"},
                      fault_case{with_field("sha256",  // hash of an empty string
                                            "e3b0c44298fc1c149afbf4c8996fb924"
                                            "27ae41e4649b934ca495991b7852b855"),
                                 "keys[0].sha256"}));

INSTANTIATE_TEST_SUITE_P(
    of_a_number, fault,
    ::testing::Values(
        fault_case{with_field("requests_per_minute", -1), "keys[0].requests_per_minute"},
        fault_case{with_field("requests_per_minute", 1'000'001), "keys[0].requests_per_minute"},
        fault_case{with_field("requests_per_minute", 1.0), "keys[0].requests_per_minute"},
        fault_case{with_field("requests_per_minute", "60"), "keys[0].requests_per_minute"},
        fault_case{with_field("requests_per_minute", true), "keys[0].requests_per_minute"},
        fault_case{with_field("requests_per_minute", nullptr), "keys[0].requests_per_minute"},
        fault_case{with_field("tokens_per_minute", 1'000'000'001), "keys[0].tokens_per_minute"},
        fault_case{with_field("tokens_per_minute", 18446744073709551615u),
                   "keys[0].tokens_per_minute"},
        fault_case{with_field("concurrent", json::array({4})), "keys[0].concurrent"}));

INSTANTIATE_TEST_SUITE_P(
    of_a_choice, fault,
    ::testing::Values(
        fault_case{with_field("priority", "High"), "keys[0].priority"},
        fault_case{with_field("priority", ""), "keys[0].priority"},
        fault_case{with_field("priority", 2), "keys[0].priority"},
        fault_case{with_field("rights", "admin"), "keys[0].rights"},
        fault_case{with_field("rights", json::array()), "keys[0].rights"},
        fault_case{with_field("rights", {"generate", "root"}), "keys[0].rights[1]"},
        fault_case{with_field("rights", {"open"}), "keys[0].rights[0]"},
        fault_case{with_field("rights", json::array({7})), "keys[0].rights[0]"},
        fault_case{with_field("models", "talk"), "keys[0].models"},
        fault_case{with_field("models", json::array()), "keys[0].models"},
        fault_case{with_field("models", {"talk", ""}), "keys[0].models[1]"},
        fault_case{with_field("models", json::array({nullptr})), "keys[0].models[0]"},
        fault_case{with_field("models", {std::string(257, 'm')}), "keys[0].models[0]"},
        fault_case{with_field("models", std::vector<std::string>(1001, "m")), "keys[0].models"}));

INSTANTIATE_TEST_SUITE_P(
    of_what_is_there_twice, fault,
    ::testing::Values(fault_case{file_of({plain_key("bot"), plain_key("bot", digits_of(1))}),
                                 "keys[1].name"},
                      fault_case{file_of({plain_key("one"), plain_key("two")}), "keys[1].sha256"},
                      fault_case{R"({"keys":[{"name":"a","rights":["read"],"rights":["admin"]}]})",
                                 "keys[0].rights"}));

INSTANTIATE_TEST_SUITE_P(of_an_unknown_field, fault,
                         ::testing::Values(fault_case{with_field("Rights", {"read"}),
                                                      "keys[0].Rights"},
                                           fault_case{with_field("key", "abc"), "keys[0].key"}));

TEST(api_key_file, repeats_no_key_that_was_pasted_into_it) {
    const auto secret = make_api_key().key;
    for (const auto* const field : {"name", "sha256", "rights", "models", "priority", "concurrent"})
        for (const auto& value : {json(secret), json::array({secret}), json{{secret, 1}}})
            for (const auto& f : faults_of(with_field(field, value)))
                EXPECT_THAT(f, Not(HasSubstr(secret))) << field;
    EXPECT_THAT(faults_of(with_field(secret.c_str(), 1)),
                ElementsAre(AllOf(HasSubstr("not a field"), Not(HasSubstr(secret)))));
}

TEST(api_key_file, has_bounds) {
    auto many = json::array();
    for (int i = 0; i <= static_cast<int>(max_keys); ++i)
        many.push_back(plain_key("bot " + std::to_string(i), digits_of(i)));
    EXPECT_THAT(faults_of(file_of(many)), ElementsAre(HasSubstr("the maximum is 1000")));
    many.erase(many.begin());
    EXPECT_THAT(faults_of(file_of(many)), IsEmpty());
    EXPECT_THAT(faults_of(std::string(max_key_file_bytes + 1, ' ')),
                ElementsAre(HasSubstr("1048577 bytes")));
    EXPECT_THAT(faults_of(R"({"keys":[)" + std::string(100'001, '1')),
                ElementsAre("key file: is not valid JSON near byte 100010"));
}

TEST(api_key_file, names_a_hundred_faults_at_most) {
    EXPECT_EQ(faults_of(file_of(std::vector<int>(500, 1))).size(), 100u);
}

}  // namespace
