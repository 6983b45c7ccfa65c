#include "base/trace_context.hpp"
#include "config/apply_delivery_options.hpp"
#include "config/describe_expected_value.hpp"
#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "transport/server_url.hpp"
#include "wire/calls/request_fields.hpp"
#include "wire/calls/tool_call_formats.hpp"
#include "wire/json/json_values.hpp"

#include "tandem/config.hpp"
#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>

namespace tandem {
inline namespace v0 {
namespace {

constexpr std::size_t max_stop_bytes = 256;
constexpr std::size_t max_tag_bytes = 64;

// Collects the faults of all values.
class checker {
 public:
    template <std::integral T>
    void operator()(const field_info& f, T value) {
        if constexpr (!std::same_as<T, bool>)
            check_range(f, value, static_cast<double>(value), fmt::format("{}", value));
    }
    void operator()(const field_info& f, double value) {
        check_range(f, value, value, fmt::format("{}", value));
    }
    void operator()(const field_info& f, duration value) {
        check_range(f, value, std::chrono::duration<double>(value).count(), to_string(value));
    }
    template <class T>
    void operator()(const field_info& f, const std::optional<T>& value) {
        if (value) (*this)(f, *value);
    }
    void operator()(const field_info& f, const std::optional<duration>& guard) {
        if (guard && *guard != auto_guard) (*this)(f, *guard);
    }
    void operator()(const field_info& f, const std::string& value) {
        if (value.find('\0') != std::string::npos) add(f, "contains a NUL byte");
    }
    void operator()(const field_info& f, const std::vector<std::string>& values) {
        check_count(f, values.size(), "texts");
        for (const auto& v : values) check_text(f, v, max_stop_bytes);
    }
    void operator()(const field_info& f, const std::vector<tag_pair>& pairs) {
        check_count(f, pairs.size(), "pairs");
        for (const auto& p : pairs) {
            check_text(f, p.open, max_tag_bytes);
            check_text(f, p.close, max_tag_bytes);
        }
    }
    void operator()(const field_info& f, const speech_replacements& words) {
        if (words.size() > max_speech_words)
            add(f, fmt::format("has {} words; the maximum is {}", words.size(), max_speech_words));
        for (const auto& [word, spoken] : words) {
            check_spoken(f, word, max_speech_word_bytes);
            if (word.find('=') != std::string::npos)
                add(f, fmt::format("has \"{}\"; a word must not contain =", word));
            check_spoken(f, spoken, max_spoken_words_bytes);
        }
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void operator()(const field_info& f, Enum value) {
        if (to_string(value).empty())
            add(f, fmt::format("is {}, which is not a valid value", static_cast<int>(value)));
    }

    void add(const field_info& f, std::string message) {
        faults.push_back({f.name, std::move(message)});
    }

    std::vector<config_fault> faults;

 private:
    void check_count(const field_info& f, std::size_t count, const char* what) {
        if (static_cast<double>(count) > f.max)
            add(f, fmt::format("has {} {}; the maximum is {}", count, what, f.max));
    }
    void check_text(const field_info& f, const std::string& value, std::size_t most) {
        if (text::find_invalid_utf8(value) != std::string_view::npos) add(f, "is not valid UTF-8");
        if (value.empty() || value.size() > most)
            add(f, fmt::format("has a text of {} bytes; it must have 1 to {}", value.size(), most));
    }
    void check_spoken(const field_info& f, const std::string& words, std::size_t most) {
        check_text(f, words, most);
        if (text::trim_white_space(words) != words)
            add(f, fmt::format("has \"{}\", which must not begin or end with white space", words));
    }
    template <class Field>
    void check_range(const field_info& f, const Field& field, double value,
                     const std::string& shown) {
        // Tests for a valid value, so that NaN, for which each comparison is false, is a fault.
        const bool inside = (f.open ? value > f.min : value >= f.min) && value <= f.max;
        if (!inside)
            add(f, detail::invalid_value_text(shown, detail::describe_expected_value(f, field)));
    }
};

void check_first_chunk(const config& c, std::vector<config_fault>& faults) {
    const int last = c.chunking.first_chunk_max_tokens ? c.chunking.first_chunk_max_tokens
                                                       : c.chunking.chunk_max_tokens;
    if (last > 0 && c.chunking.first_chunk_min_tokens > last)
        faults.push_back({"first_chunk_min_tokens",
                          fmt::format("is {}, more than the first chunk's limit of {} tokens",
                                      c.chunking.first_chunk_min_tokens, last)});
}

// A reply that continues on the same slot waits for the guard, so it would always exceed a shorter
// queue_timeout.
void check_queue(const config& c, std::vector<config_fault>& faults) {
    if (c.server.reuse_guard && *c.server.reuse_guard != auto_guard &&
        c.limits.queue_timeout > duration{} && c.limits.queue_timeout <= *c.server.reuse_guard)
        faults.push_back(
            {"queue_timeout",
             fmt::format("is {}, not longer than the reuse_guard of {}",
                         to_string(c.limits.queue_timeout), to_string(*c.server.reuse_guard))});
}

// Other characters could end a mark or a sentence.
bool is_mark_tag(std::string_view tag) noexcept {
    if (text::trim_white_space(tag) != tag) return false;
    for (; !tag.empty(); tag.remove_prefix(text::decode_first_character(tag).bytes)) {
        const auto c = text::decode_first_character(tag).character;
        if (!text::is_letter(c) && !text::is_digit(c) && c != ' ' && c != '-' && c != '_')
            return false;
    }
    return true;
}

void check_mark_tags(const config& c, std::vector<config_fault>& faults) {
    for (const auto& tag : c.speech.mark_tags)
        if (tag.size() > max_speech_word_bytes || !is_mark_tag(tag))
            faults.push_back({"speech_mark_tags",
                              fmt::format("has \"{}\"; a tag has 1 to {} bytes of letters, digits, "
                                          "spaces, - and _, such as laughs",
                                          tag, max_speech_word_bytes)});
}

constexpr std::size_t max_language_bytes = 35;

// Whether `tag` is a BCP 47 tag with an ISO 639 language. A language without its own rules uses the
// English ones.
bool is_language_tag(std::string_view tag) noexcept {
    const auto primary = std::min(tag.find_first_of("-_"), tag.size());
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_part = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    return (primary == 2 || primary == 3) && tag.size() <= max_language_bytes &&
           std::ranges::all_of(tag.substr(0, primary), is_letter) &&
           std::ranges::all_of(tag, is_part);
}

void check_language(const config& c, std::vector<config_fault>& faults) {
    const auto& tag = c.chunking.language;
    if (tag.empty() || is_language_tag(tag)) return;
    const auto shown = tag.size() <= max_language_bytes
                           ? fmt::format("\"{}\"", tag)
                           : fmt::format("a tag of {} bytes", tag.size());
    faults.push_back(
        {"language", detail::invalid_value_text(shown, "a BCP 47 tag such as de or de-AT")});
}

constexpr int max_lookahead = 8;
constexpr std::size_t max_constraint_bytes = 64 * 1024;

void check_constraint(const char* name, const std::string& value,
                      std::vector<config_fault>& faults) {
    if (value.size() > max_constraint_bytes)
        faults.push_back({name, fmt::format("has {} bytes; the maximum is {}", value.size(),
                                            max_constraint_bytes)});
    if (text::find_invalid_utf8(value) != std::string_view::npos)
        faults.push_back({name, "is not valid UTF-8"});
}

// A tool_choice without tools is valid, because a session may choose among the tools of its earlier
// options.
void check_tool_choice(const generation_options& o, std::vector<config_fault>& faults) {
    check_constraint("tool_choice", o.tool_choice, faults);
    if (!must_call(o)) return;
    const auto names = wire::read_function_names(o.tools);
    if (names.empty()) faults.push_back({"tools", "have no function with a name to call"});
    if (o.tool_choice != "required" && std::ranges::find(names, o.tool_choice) == names.end())
        faults.push_back({"tool_choice", "is neither auto, none, required, nor one of the tools"});
    if (!o.grammar.empty())
        faults.push_back({"grammar", "cannot be combined with a tool_choice that requires a call"});
}

void check_constraints(const generation_options& o, std::vector<config_fault>& faults) {
    check_constraint("grammar", o.grammar, faults);
    check_constraint("json_schema", o.json_schema, faults);
    check_constraint("tools", o.tools, faults);
    if (!o.grammar.empty() && !o.json_schema.empty())
        faults.push_back({"json_schema", "cannot be combined with grammar"});
    if (!o.json_schema.empty() && !wire::is_json_object(o.json_schema))
        faults.push_back({"json_schema", "is not a JSON object"});
    if (!o.tools.empty() && !wire::is_list_of_objects(o.tools))
        faults.push_back({"tools", "is not a JSON list of objects"});
    check_tool_choice(o, faults);
}

void check_members(const generation_options& o, std::vector<config_fault>& faults) {
    check_constraint("sampling", o.sampling, faults);
    check_constraint("template_options", o.template_options, faults);
    check_constraint("context", o.context, faults);
    for (auto& fault :
         {wire::check_sampling_fields(o.sampling), wire::check_template_fields(o.template_options)})
        if (fault) faults.push_back({fault->path, fault->words});
}

// The value is sent as a header, so it must not inject another one.
void check_trace(const generation_options& o, std::vector<config_fault>& faults) {
    if (!o.traceparent.empty() && !is_valid_traceparent(o.traceparent))
        faults.push_back({"traceparent", "is not a valid W3C traceparent"});
}

void check_adapters(const generation_options& o, std::vector<config_fault>& faults) {
    if (o.lora.size() > max_adapters)
        faults.push_back({"lora", fmt::format("has {} adapters; the maximum is {}", o.lora.size(),
                                              max_adapters)});
    for (auto a = o.lora.begin(); a != o.lora.end(); ++a) {
        if (a->id < 0 || a->id > max_adapter_id)
            faults.push_back(
                {"lora", fmt::format("has the id {}; it must be 0 to {}", a->id, max_adapter_id)});
        if (!(std::abs(a->scale) <= max_adapter_scale))
            faults.push_back({"lora", fmt::format("has the scale {}; it must be {} to {}", a->scale,
                                                  -max_adapter_scale, max_adapter_scale)});
        if (std::any_of(o.lora.begin(), a, [&](const auto& b) { return b.id == a->id; }))
            faults.push_back({"lora", fmt::format("has the id {} twice", a->id)});
    }
}

void check_lookahead(const generation_options& o, std::vector<config_fault>& faults) {
    if (o.lookahead < 0 || o.lookahead > max_lookahead)
        faults.push_back(
            {"lookahead", fmt::format("is {}; it must be 0 to {}", o.lookahead, max_lookahead)});
}

void check_delivery(const generation_options& o, std::vector<config_fault>& faults) {
    if (o.delivery == delivery_options()) return;
    for (auto& f : check(apply_delivery_options({}, o.delivery))) faults.push_back(std::move(f));
}

// Checks what for_each_field() does not cover.
void check_generation(const generation_options& o, std::vector<config_fault>& faults) {
    check_constraints(o, faults);
    check_members(o, faults);
    check_trace(o, faults);
    check_adapters(o, faults);
    check_lookahead(o, faults);
    check_delivery(o, faults);
}

std::string describe(const std::vector<config_fault>& faults) {
    std::string text = "invalid configuration:";
    for (const auto& f : faults) text += fmt::format("\n  {} {}", f.field, f.message);
    return text;
}

}  // namespace

std::vector<config_fault> check(const generation_options& o) {
    checker check_field;
    for_each_field(o, check_field);
    check_generation(o, check_field.faults);
    return std::move(check_field.faults);
}

bool is_constrained(const generation_options& o) noexcept {
    return !o.grammar.empty() || !o.json_schema.empty() || must_call(o);
}

bool must_call(const generation_options& o) noexcept {
    const auto& choice = o.tool_choice;
    return !o.tools.empty() && !choice.empty() && choice != "auto" && choice != "none";
}

bool uses_call_schema(const generation_options& o) noexcept {
    return must_call(o) || (!o.tools.empty() && o.tool_choice != "none" && !o.json_schema.empty());
}

std::vector<config_fault> check(const config& c) {
    checker check_field;
    for_each_field(c, check_field);
    auto faults = std::move(check_field.faults);
    check_generation(c.generation, faults);
    if (const auto fault = transport::check_server_url(c.server.url))
        faults.push_back({"url", *fault});
    else if (const auto path_fault = transport::check_api_path(c.server.url))
        faults.push_back({"url", *path_fault});
    if (const auto fault = transport::check_api_key(c.server.api_key))
        faults.push_back({"api_key", *fault});
    if (const auto fault = transport::check_proxy(c.server.proxy))
        faults.push_back({"proxy", *fault});
    check_first_chunk(c, faults);
    check_language(c, faults);
    check_queue(c, faults);
    check_mark_tags(c, faults);
    return faults;
}

config_error::config_error(std::vector<config_fault> faults)
    : std::invalid_argument(describe(faults)), faults_(std::move(faults)) {}

}  // namespace v0
}  // namespace tandem
