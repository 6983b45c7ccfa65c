#pragma once

#include "gateway/json/api_error.hpp"

#include "tandem/config.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What prompts must not contain. Pure.
namespace tandem::gateway {

struct prompt_rules {
    /// Words and phrases, at most 10,000 of 2 to 256 bytes. They match whole words; in scripts
    /// without spaces, anywhere. Case does not count, as far as one letter has one other form (not
    /// ß and SS), and any white space is one space.
    std::vector<std::string> denied{};
    /// Bytes in the texts of a prompt together; 0 = no bound but that of the body. Far more
    /// than contexts in use hold.
    std::size_t max_bytes = std::size_t{1} << 20;
};

/// All faults of `rules`; empty if they can be used.
std::vector<config_fault> check(const prompt_rules& rules);

/// Takes time in proportion to the texts: for 1 MiB, measured, 10 ms with a few words and up to 90
/// ms with 10,000. It stops words, not people: who writes them in another way, or parts them over
/// two messages, passes.
class prompt_policy {
 public:
    /// Precondition: check() has no faults.
    explicit prompt_policy(const prompt_rules& rules);

    /// What is wrong with a prompt of these texts: 400 with code "content_policy" or
    /// "prompt_too_large", which repeats nothing of it; nothing if it may pass. Bytes that are not
    /// UTF-8 are read as U+FFFD.
    std::optional<api_error> verdict(std::span<const std::string_view> texts) const;

 private:
    bool is_denied(std::string_view text) const;
    bool has_denied_at(std::string_view folded, std::size_t at) const;

    std::size_t max_bytes_;
    /// Folded and sorted.
    std::vector<std::string> denied_;
    /// For each two bytes, where those in `denied_` begin that begin with them.
    std::vector<std::uint32_t> begins_;
};

}  // namespace tandem::gateway
