#include "cluster/store/store_script.hpp"

#include <fmt/format.h>

#include <array>
#include <openssl/evp.h>
#include <utility>

namespace tandem::cluster {
namespace {

// The hash by which the store identifies a script.
std::string sha1_of(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
    return hex;
}

std::vector<std::string> make_command(std::string command, std::string script,
                                      std::vector<std::string>& keys,
                                      std::vector<std::string>& arguments) {
    std::vector<std::string> words{std::move(command), std::move(script),
                                   std::to_string(keys.size())};
    words.reserve(words.size() + keys.size() + arguments.size());
    for (auto& k : keys) words.push_back(std::move(k));
    for (auto& a : arguments) words.push_back(std::move(a));
    return words;
}

}  // namespace

store_script::store_script(std::string_view text) : text_(text), hash_(sha1_of(text)) {}

void store_script::run(store_link& link, std::vector<std::string> keys,
                       std::vector<std::string> arguments, store_link::answer_handler done,
                       duration limit) const {
    auto words = make_command("EVALSHA", hash_, keys, arguments);
    link.run(
        words,
        [this, &link, words, done = std::move(done), limit](const auto& answer) mutable {
            const bool is_unknown = answer && answer->kind == answer_kind::error &&
                                    answer->text.starts_with("NOSCRIPT");
            if (!is_unknown) return done(answer);
            words[0] = "EVAL";
            words[1] = text_;
            link.run(std::move(words), std::move(done), limit);
        },
        limit);
}

}  // namespace tandem::cluster
