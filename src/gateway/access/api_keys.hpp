#pragma once

#include "gateway/access/rights.hpp"

#include "tandem/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Keys of the gateway's clients. The keys themselves are kept nowhere: only their SHA-256 is known.
// A fast hash without salt is right here, as keys are 256 random bits: a slow one is for passwords,
// which can be guessed, and would be a way to keep the gateway busy. Pure.
namespace tandem::gateway {

using key_hash = std::array<unsigned char, 32>;

/// As in a key file; empty for a value that names nothing.
std::string_view to_string(reply_priority p) noexcept;

/// What the holder of a key may do: api_key_file.hpp has the fields.
struct api_key {
    std::string name{};
    key_hash sha256{};
    std::int64_t requests_per_minute = 0;
    std::int64_t tokens_per_minute = 0;
    std::int64_t concurrent = 0;
    std::vector<std::string> models{};
    reply_priority priority = reply_priority::normal;
    right_set rights{right::generate, right::read};
};

/// Longer ones are none, and are not hashed. Visible ASCII characters, 47 of them in ours.
inline constexpr std::size_t max_key_bytes = 512;

/// Keys of one gateway: comparing with all takes some 30 microseconds then.
inline constexpr std::size_t max_keys = 1000;

/// A set of keys, whose names and hashes differ.
class api_keys {
 public:
    /// No keys.
    api_keys() = default;
    explicit api_keys(std::vector<api_key> keys) : keys_(std::move(keys)) {}

    /// The key that was presented; nullptr if it is none of these. The time that this takes reveals
    /// nothing of the keys: each is compared, and each to its end.
    const api_key* find(std::string_view presented) const;

    bool is_empty() const noexcept { return keys_.empty(); }
    const std::vector<api_key>& all() const noexcept { return keys_; }

 private:
    std::vector<api_key> keys_;
};

/// What our own keys begin with, so that people and scanners for leaked secrets know them.
inline constexpr std::string_view key_prefix = "tdm_";

/// A new key, to be shown once, and its hash for the key file, in hexadecimal digits.
struct new_api_key {
    std::string key;
    std::string sha256;
};

/// 256 random bits in base64url. Throws std::runtime_error where the system has none.
new_api_key make_api_key();

/// Nothing if OpenSSL fails.
std::optional<key_hash> hash_of_key(std::string_view key) noexcept;

}  // namespace tandem::gateway
