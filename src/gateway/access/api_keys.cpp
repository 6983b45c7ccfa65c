#include "gateway/access/api_keys.hpp"

#include "base/enum_names.hpp"
#include "gateway/access/base64url.hpp"

#include <boost/algorithm/hex.hpp>

#include <iterator>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdexcept>

namespace tandem::gateway {
namespace {

constexpr std::size_t key_bytes = 32;
using key_bits = std::array<unsigned char, key_bytes>;

}  // namespace

std::string_view to_string(reply_priority p) noexcept {
    return find_enum_name({"high", "normal", "low"}, p);
}

std::optional<sha256_hash> hash_sha256(std::string_view text) noexcept {
    sha256_hash hash;
    unsigned int length = 0;
    const int is_done =
        EVP_Digest(text.data(), text.size(), hash.data(), &length, EVP_sha256(), nullptr);
    if (is_done != 1 || length != hash.size()) return std::nullopt;
    return hash;
}

const api_key* api_keys::find(std::string_view presented) const {
    if (presented.empty() || presented.size() > max_key_bytes) return nullptr;
    const auto hash = hash_sha256(presented);
    if (!hash) return nullptr;
    const api_key* found = nullptr;
    for (const auto& k : keys_)
        if (CRYPTO_memcmp(k.sha256.data(), hash->data(), hash->size()) == 0) found = &k;
    return found;
}

new_api_key make_api_key() {
    key_bits bits;
    if (RAND_bytes(bits.data(), static_cast<int>(bits.size())) != 1)
        throw std::runtime_error("the system provides no random bits");
    new_api_key made{.key = std::string(key_prefix) + encode_base64url(bits), .sha256 = {}};
    OPENSSL_cleanse(bits.data(), bits.size());
    const auto hash = hash_sha256(made.key);
    if (!hash) throw std::runtime_error("OpenSSL has no SHA-256");
    boost::algorithm::hex_lower(*hash, std::back_inserter(made.sha256));
    return made;
}

}  // namespace tandem::gateway
