#include "gateway/access/api_keys.hpp"

#include <boost/algorithm/hex.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace {

using tandem::gateway::api_key;
using tandem::gateway::api_keys;
using tandem::gateway::hash_sha256;
using tandem::gateway::make_api_key;
using tandem::gateway::max_key_bytes;
using namespace std::string_literals;

std::string hex(const tandem::gateway::key_hash& hash) {
    std::string digits;
    boost::algorithm::hex_lower(hash, std::back_inserter(digits));
    return digits;
}

api_keys keys_of(std::vector<std::string> keys) {
    std::vector<api_key> list;
    for (const auto& k : keys) list.push_back({.name = "of " + k, .sha256 = *hash_sha256(k)});
    return api_keys(std::move(list));
}

std::string found_by(const api_keys& keys, std::string_view presented) {
    const auto* const key = keys.find(presented);
    return key ? key->name : "nobody";
}

TEST(hash_sha256, is_sha_256) {
    EXPECT_EQ(hex(*hash_sha256("abc")),  // FIPS 180-2, appendix B.1
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(api_keys, find_each_key_wherever_it_stands) {
    const auto keys = keys_of({"one", "two", "three"});
    for (const auto* const key : {"one", "two", "three"})
        EXPECT_EQ(found_by(keys, key), "of "s + key);
}

TEST(api_keys, find_nothing_else) {
    const auto keys = keys_of({"one", "two"});
    for (const auto& wrong : {"", "o", "on", "one ", " one", "ONE", "onetwo", "on\xC3"})
        EXPECT_EQ(found_by(keys, wrong), "nobody") << wrong;
    EXPECT_EQ(found_by(keys, "one\0"s), "nobody");
    EXPECT_EQ(found_by(keys, "one\0two"s), "nobody");
    EXPECT_EQ(found_by(keys, hex(*hash_sha256("one"))), "nobody") << "a hash is no key";
    EXPECT_EQ(found_by(api_keys(), "one"), "nobody");
}

TEST(api_keys, find_no_empty_key_even_if_its_hash_is_there) {
    EXPECT_EQ(found_by(keys_of({""}), ""), "nobody");
}

TEST(api_keys, take_keys_up_to_the_bound) {
    const std::string longest(max_key_bytes, 'k');
    EXPECT_EQ(found_by(keys_of({longest}), longest), "of " + longest);
    EXPECT_EQ(found_by(keys_of({longest + "k"}), longest + "k"), "nobody");
    EXPECT_EQ(found_by(keys_of({"one"}), std::string(1 << 20, 'k')), "nobody");
}

TEST(make_api_key, gives_256_bits_that_are_safe_in_headers_and_subprotocols) {
    const auto made = make_api_key();
    EXPECT_EQ(made.key.size(), 4u + 43u) << "6 bits a character";
    EXPECT_TRUE(made.key.starts_with("tdm_"));
    EXPECT_EQ(made.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"),
              std::string::npos);
}

TEST(make_api_key, gives_the_hash_of_its_key) {
    const auto made = make_api_key();
    EXPECT_EQ(made.sha256, hex(*hash_sha256(made.key)));
}

TEST(make_api_key, gives_another_key_each_time) {
    std::set<std::string> keys;
    std::set<char> characters;
    for (int i = 0; i < 100; ++i) {
        const auto key = make_api_key().key;
        keys.insert(key);
        characters.insert(key.begin(), key.end());
    }
    EXPECT_EQ(keys.size(), 100u);
    EXPECT_EQ(characters.size(), 64u) << "4,300 characters contain each letter of the alphabet";
}

}  // namespace
