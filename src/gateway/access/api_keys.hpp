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

// API keys of the gateway's clients. Only the SHA-256 of a key is stored. A fast unsalted hash is
// sufficient, because a key is 256 random bits and cannot be guessed; a slow password hash would
// let clients overload the gateway. Pure.
namespace tandem::gateway {

using sha256_hash = std::array<unsigned char, 32>;
using key_hash = sha256_hash;

/// The name in a key file; empty for an invalid value.
std::string_view to_string(reply_priority p) noexcept;

/// An API key and its limits. api_key_file.hpp describes the fields.
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

/// Longer values are rejected without hashing. Generated keys have 47 visible ASCII characters.
inline constexpr std::size_t max_key_bytes = 512;

/// Maximum number of keys: comparing a presented key with 1000 of them takes about 30 µs.
inline constexpr std::size_t max_keys = 1000;

/// A set of keys with distinct names and hashes.
class api_keys {
 public:
    /// An empty set.
    api_keys() = default;
    explicit api_keys(std::vector<api_key> keys) : keys_(std::move(keys)) {}

    /// Returns the presented key, or nullptr if it is unknown. Takes constant time: compares the
    /// whole hash of every key.
    const api_key* find(std::string_view presented) const;

    bool is_empty() const noexcept { return keys_.empty(); }
    const std::vector<api_key>& all() const noexcept { return keys_; }

 private:
    std::vector<api_key> keys_;
};

/// Prefix of generated keys, so that people and secret scanners recognize them.
inline constexpr std::string_view key_prefix = "tdm_";

/// A new key, and its hash for the key file in hexadecimal. Only the hash is stored, so the user
/// must keep the key.
struct new_api_key {
    std::string key;
    std::string sha256;
};

/// 256 random bits in base64url. Throws std::runtime_error if the system has no entropy source.
new_api_key make_api_key();

/// Returns nullopt if OpenSSL fails.
std::optional<sha256_hash> hash_sha256(std::string_view text) noexcept;

}  // namespace tandem::gateway
