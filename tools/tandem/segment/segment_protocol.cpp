#include "segment/segment_protocol.hpp"

#include "base/parse_number.hpp"
#include "text/characters/utf8.hpp"
#include "wire/json/dump_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace tandem::command {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct bad_line {
    std::string why;
};

std::string json_line(const ordered_json& answer) {
    return wire::dump_json(answer) + '\n';
}

// Precondition: the value is a string.
const std::string& bytes_of(const json& value) {
    return value.get_ref<const std::string&>();
}

void check_text(std::string_view field, const json& value) {
    if (!value.is_string())
        throw bad_line{fmt::format("{} must be a string, not {}", field, value.type_name())};
}

void check_true(const char* field, const json& value) {
    if (value != true) throw bad_line{fmt::format("{} must be true", field)};
}

std::string where_json_ends(const json::parse_error& e, std::size_t bytes) {
    if (e.byte > bytes) return "the JSON object is incomplete at the end of the line";
    return fmt::format("not valid JSON at byte {}", e.byte);
}

constexpr std::size_t escape_bytes = 6;  // length of "\uD800"

// Returns the code unit of the \u escape at `at`; 0 if there is none.
unsigned escaped_unit(std::string_view line, std::size_t at) {
    const auto escape = line.substr(std::min(at, line.size()), escape_bytes);
    if (escape.size() < escape_bytes || !escape.starts_with("\\u")) return 0;
    return parse_number<unsigned>(escape.substr(2), 16).value_or(0);
}

bool is_high_surrogate(unsigned unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low_surrogate(unsigned unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

void replace_lone_surrogates(std::string& line) {
    // Searches for backslashes without parsing: JSON has them only in strings, where each escapes
    // the next character.
    for (auto at = line.find('\\'); at < line.size(); at = line.find('\\', at)) {
        const auto unit = escaped_unit(line, at);
        const bool pair =
            is_high_surrogate(unit) && is_low_surrogate(escaped_unit(line, at + escape_bytes));
        if (!pair && (is_high_surrogate(unit) || is_low_surrogate(unit)))
            line.replace(at, escape_bytes, "\\uFFFD");
        at += pair ? 2 * escape_bytes : 2;
    }
}

// A parsed and validated line.
struct segment_protocol::request {
    enum class kind { tokens, token, start, end };
    static constexpr std::array<const char*, 4> names{"tokens", "token", "start", "end"};

    explicit request(const json& line) {
        if (!line.is_object())
            throw bad_line{fmt::format("expected an object, not {}", line.type_name())};
        for (std::size_t i = 0; i < names.size(); ++i)
            if (const auto field = line.find(names[i]); field != line.end())
                set(static_cast<kind>(i), *field);
        if (!value) throw bad_line{"tokens, token, start or end is required"};
        for (const auto& [name, _] : line.items())
            if (name != "lang" && std::ranges::find(names, name) == names.end())
                throw bad_line{fmt::format(
                    "unknown field \"{}\"; known are tokens, token, start, end, lang", name)};
        if (const auto lang = line.find("lang"); lang != line.end()) {
            check_text("lang", *lang);
            language = bytes_of(*lang);
        }
        check();
    }

    kind what = kind::tokens;
    const json* value = nullptr;
    std::string language;

 private:
    void set(kind k, const json& field) {
        const auto* before = names[static_cast<std::size_t>(what)];
        if (value)
            throw bad_line{fmt::format("{} and {} are given; use only one of them", before,
                                       names[static_cast<std::size_t>(k)])};
        what = k;
        value = &field;
    }

    void check() const {
        if (what == kind::start) check_true("start", *value);
        if (what == kind::end) check_true("end", *value);
        if (what == kind::token) check_text("token", *value);
        if (what == kind::tokens) check_tokens();
    }

    void check_tokens() const {
        if (!value->is_array())
            throw bad_line{fmt::format("tokens must be a list, not {}", value->type_name())};
        const auto wrong = std::ranges::find_if_not(*value, &json::is_string);
        if (wrong != value->end())
            check_text(fmt::format("tokens[{}]", wrong - value->begin()), *wrong);
    }
};

std::string segment_protocol::answer(std::string line) try {
    ++line_number_;
    if (line.find_first_not_of(" \t\r") == std::string::npos) return {};
    if (const auto bad = text::find_invalid_utf8(line); bad != std::string::npos)
        return error(fmt::format("invalid UTF-8 at byte {}", bad + 1));
    replace_lone_surrogates(line);
    const auto parsed = json::parse(line);
    return answer_request(request(parsed));
} catch (const bad_line& e) {
    return error(e.why);
} catch (const json::parse_error& e) {
    return error(where_json_ends(e, line.size()));
} catch (const json::exception&) {
    return error("a number is too large");
}

std::string segment_protocol::refuse(std::string_view why) {
    ++line_number_;
    return error(why);
}

std::string segment_protocol::error(std::string_view why) {
    ++bad_lines_;
    return json_line({{"chunks", ordered_json::array()},
                      {"error", fmt::format("line {}: {}", line_number_, why)}});
}

std::string segment_protocol::answer_request(const request& r) {
    if (r.what == request::kind::tokens) return answer_tokens(r);
    if (r.what == request::kind::start) {
        splitter_ = splitter_for(r);
        return {};
    }
    if (!splitter_) splitter_ = splitter_for(r);
    if (r.what == request::kind::token)
        return json_line({{"chunks", splitter_->feed(bytes_of(*r.value))}});
    const auto rest = splitter_->finish();
    splitter_.reset();
    return json_line({{"chunks", rest}});
}

std::string segment_protocol::answer_tokens(const request& r) const {
    auto splitter = splitter_for(r);
    auto chunks = ordered_json::array();
    auto at = ordered_json::array();
    const auto add = [&](std::vector<std::string> sentences, std::size_t tokens_read) {
        for (auto& s : sentences) {
            chunks.push_back(std::move(s));
            at.push_back(tokens_read);
        }
    };
    const auto& tokens = *r.value;
    for (std::size_t i = 0; i < tokens.size(); ++i) add(splitter.feed(bytes_of(tokens[i])), i + 1);
    add(splitter.finish(), tokens.size() + 1);
    return json_line({{"chunks", std::move(chunks)}, {"at", std::move(at)}});
}

sentence_splitter segment_protocol::splitter_for(const request& r) const {
    auto options = defaults_;
    if (!r.language.empty()) options.language = r.language;
    return sentence_splitter(std::move(options));
}

}  // namespace tandem::command
