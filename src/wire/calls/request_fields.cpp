#include "wire/calls/request_fields.hpp"

#include "wire/json/json.hpp"
#include "wire/json/json_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tandem::wire {
namespace {

using maybe_fault = std::optional<field_fault>;

constexpr std::size_t max_biases = 1024;
constexpr std::size_t max_texts = 64;
constexpr std::size_t max_text_bytes = 256;
constexpr double max_bias = 100;
constexpr int most_token_id = 10'000'000;

struct range {
    double least;
    double most;
};

maybe_fault check_flag(const json& value, std::string_view name, range) {
    if (value.is_boolean()) return std::nullopt;
    return field_fault{std::string(name), "must be true or false"};
}

maybe_fault check_number(const json& value, std::string_view name, range r) {
    const bool is_in_range =
        value.is_number() && value.get<double>() >= r.least && value.get<double>() <= r.most;
    if (is_in_range) return std::nullopt;
    return field_fault{std::string(name),
                       fmt::format("must be a number from {} to {}", r.least, r.most)};
}

maybe_fault check_whole_number(const json& value, std::string_view name, range r) {
    // Rejects 1.5, which the server would truncate to 1.
    const bool is_whole =
        value.is_number() && std::trunc(value.get<double>()) == value.get<double>();
    if (is_whole && !check_number(value, name, r)) return std::nullopt;
    return field_fault{std::string(name),
                       fmt::format("must be a whole number from {} to {}", r.least, r.most)};
}

// Rejects unknown names, because the server would silently ignore them.
maybe_fault check_sampler(const json& value, std::string path) {
    constexpr std::array<std::string_view, 12> known{
        "penalties", "dry", "top_n_sigma", "top_k",  "typ_p",       "typical_p",
        "top_p",     "xtc", "min_p",       "infill", "temperature", "adaptive_p"};
    if (value.is_string() && std::ranges::find(known, value.get<std::string>()) != known.end())
        return std::nullopt;
    return field_fault{std::move(path), fmt::format("must be one of {}", fmt::join(known, ", "))};
}

maybe_fault check_breaker(const json& value, std::string path) {
    if (value.is_string() && value.get_ref<const std::string&>().size() <= max_text_bytes)
        return std::nullopt;
    return field_fault{std::move(path),
                       fmt::format("must be a string of at most {} bytes", max_text_bytes)};
}

template <class CheckItem>
maybe_fault check_texts(const json& value, std::string_view name, CheckItem check_item) {
    if (!value.is_array() || value.empty() || value.size() > max_texts)
        return field_fault{std::string(name),
                           fmt::format("must be a list of 1 to {} strings", max_texts)};
    for (std::size_t i = 0; i < value.size(); ++i)
        if (auto fault = check_item(value[i], fmt::format("{}[{}]", name, i))) return fault;
    return std::nullopt;
}

maybe_fault check_samplers(const json& value, std::string_view name, range) {
    return check_texts(value, name, check_sampler);
}

maybe_fault check_breakers(const json& value, std::string_view name, range) {
    return check_texts(value, name, check_breaker);
}

maybe_fault check_bias(const json& value, std::string path) {
    const bool is_bias =
        value == false || (value.is_number() && std::abs(value.get<double>()) <= max_bias);
    if (is_bias) return std::nullopt;
    return field_fault{std::move(path),
                       fmt::format("must give a token a number from {} to {}, or false for never",
                                   -max_bias, max_bias)};
}

/// A token id or a string; the bias applies to each token of the string.
maybe_fault check_pair(const json& pair, const std::string& path) {
    if (!pair.is_array() || pair.size() != 2)
        return field_fault{path, "must be a list of a token and its bias"};
    const bool is_token = pair[0].is_string() || (pair[0].is_number_integer() &&
                                                  !check_number(pair[0], path, {0, most_token_id}));
    if (!is_token) return field_fault{path + "[0]", "must be a token's id, or a string"};
    return check_bias(pair[1], path + "[1]");
}

/// Accepts the formats of OpenAI and of llama-server. The path of a fault does not contain the key
/// of an object.
maybe_fault check_biases(const json& value, std::string_view name, range) {
    if ((!value.is_object() && !value.is_array()) || value.size() > max_biases)
        return field_fault{
            std::string(name),
            fmt::format("must be an object, or a list of pairs, of at most {} tokens", max_biases)};
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        if (auto fault = check_pair(value[i], fmt::format("{}[{}]", name, i))) return fault;
    for (const auto& bias : value)
        if (auto fault = value.is_object() ? check_bias(bias, std::string(name)) : std::nullopt)
            return fault;
    return std::nullopt;
}

struct known_field {
    std::string_view name;
    maybe_fault (*check)(const json& value, std::string_view name, range);
    range possible{};
};

constexpr double max_token_count = 1'000'000;

constexpr std::array passed_sampling_fields{
    known_field{"dry_allowed_length", check_whole_number, {0, max_token_count}},
    known_field{"dry_base", check_number, {1, 100}},
    known_field{"dry_multiplier", check_number, {0, 100}},
    known_field{"dry_penalty_last_n", check_whole_number, {0, max_token_count}},
    known_field{"dry_sequence_breakers", check_breakers},
    known_field{"dynatemp_exponent", check_number, {0, 100}},
    known_field{"dynatemp_range", check_number, {0, 100}},
    known_field{"ignore_eos", check_flag},
    known_field{"logit_bias", check_biases},
    known_field{"mirostat", check_whole_number, {0, 2}},
    known_field{"mirostat_eta", check_number, {0, 100}},
    known_field{"mirostat_tau", check_number, {0, 100}},
    known_field{"samplers", check_samplers},
    known_field{"top_n_sigma", check_number, {-1, 100}},
    known_field{"typical_p", check_number, {0, 1}},
    known_field{"xtc_probability", check_number, {0, 1}},
    known_field{"xtc_threshold", check_number, {0, 1}}};

/// Rejects template values that tandem or the server sets itself.
maybe_fault check_template_values(const json& value, std::string_view name, range) {
    if (!value.is_object()) return field_fault{std::string(name), "must be an object"};
    for (const auto* taken :
         {"messages", "tools", "add_generation_prompt", "bos_token", "eos_token"})
        if (value.contains(taken))
            return field_fault{fmt::format("{}.{}", name, taken), "cannot be set; leave it out"};
    return std::nullopt;
}

maybe_fault check_effort(const json& value, std::string_view name, range) {
    constexpr std::size_t max_bytes = 64;
    if (value.is_string() && value.get_ref<const std::string&>().size() <= max_bytes)
        return std::nullopt;
    return field_fault{std::string(name),
                       fmt::format("must be a string of at most {} bytes", max_bytes)};
}

constexpr std::array passed_template_fields{
    known_field{"chat_template_kwargs", check_template_values},
    known_field{"reasoning_effort", check_effort}};

template <std::size_t N>
constexpr std::array<std::string_view, N> names_in(const std::array<known_field, N>& fields) {
    std::array<std::string_view, N> names{};
    for (std::size_t i = 0; i < N; ++i) names[i] = fields[i].name;
    return names;
}

constexpr auto names_of_sampling = names_in(passed_sampling_fields);
constexpr auto names_of_template = names_in(passed_template_fields);

maybe_fault first_fault(std::string_view what, std::string_view object,
                        std::span<const known_field> fields) {
    if (object.empty()) return std::nullopt;
    if (!is_json_object(object)) return field_fault{std::string(what), "is not a JSON object"};
    const auto read = json::parse(object);
    for (const auto& member : read.items()) {
        const auto known = std::ranges::find(fields, member.key(), &known_field::name);
        if (known == fields.end())
            return field_fault{std::string(what),
                               fmt::format("cannot have the field \"{}\"", member.key())};
        if (auto fault = known->check(member.value(), known->name, known->possible)) return fault;
    }
    return std::nullopt;
}

}  // namespace

std::span<const std::string_view> sampling_field_names() noexcept {
    return names_of_sampling;
}

std::span<const std::string_view> template_field_names() noexcept {
    return names_of_template;
}

std::optional<field_fault> check_sampling_fields(std::string_view object) {
    return first_fault("sampling", object, passed_sampling_fields);
}

std::optional<field_fault> check_template_fields(std::string_view object) {
    return first_fault("template_options", object, passed_template_fields);
}

}  // namespace tandem::wire
