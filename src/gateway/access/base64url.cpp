#include "gateway/access/base64url.hpp"

#include <algorithm>
#include <cstddef>
#include <openssl/evp.h>

namespace tandem::gateway {

std::string encode_base64url(std::span<const unsigned char> bytes) {
    const std::size_t padded = (bytes.size() + 2) / 3 * 4;
    std::string text(padded + 1, '\0');  // room for OpenSSL's NUL
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(),
                    static_cast<int>(bytes.size()));
    text.resize((bytes.size() * 4 + 2) / 3);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return text;
}

}  // namespace tandem::gateway
