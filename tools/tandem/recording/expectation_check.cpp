#include "recording/expectation_check.hpp"

#include "text/characters/utf8.hpp"
#include "text/format_error.hpp"
#include "wire/json/json_limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

using nlohmann::json;

constexpr std::size_t max_shown_bytes = 200;
constexpr wire::json_limits argument_limits{.depth = 64, .values = 100'000};

std::string cut_to_fit(std::string_view text) {
    if (text.size() <= max_shown_bytes) return std::string(text);
    return std::string(text.substr(0, text::floor_to_character(text, max_shown_bytes))) + "…";
}

// Returns the limit as it was written.
std::string limit_text(double ms) {
    return fmt::format("at most {} ms", ms);
}

std::string ms_text(double ms) {
    return fmt::format("{:.1f} ms", ms);
}

// Returns true if `whole` contains everything in `part`; its objects may have further members.
bool contains(const json& whole, const json& part) {
    if (!part.is_object()) return whole == part;
    if (!whole.is_object()) return false;
    for (const auto& [name, value] : part.items())
        if (const auto found = whole.find(name); found == whole.end() || !contains(*found, value))
            return false;
    return true;
}

bool is_met(const expected_call& expected, const tool_call& call) {
    if (call.name != expected.name) return false;
    if (expected.arguments.empty()) return true;
    if (wire::check_json(call.arguments, argument_limits) != wire::json_fault::none) return false;
    return contains(json::parse(call.arguments, nullptr, false), json::parse(expected.arguments));
}

std::string calls_text(const std::vector<expected_call>& calls) {
    std::vector<std::string> texts;
    texts.reserve(calls.size());
    for (const auto& c : calls) texts.push_back(c.name + c.arguments);
    return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string calls_text(const std::vector<tool_call>& calls) {
    std::vector<std::string> texts;
    texts.reserve(calls.size());
    for (const auto& c : calls) texts.push_back(cut_to_fit(c.name + c.arguments));
    return texts.empty() ? "none" : cut_to_fit(fmt::format("{}", fmt::join(texts, ", ")));
}

std::string chunks_text(const expectation& e) {
    if (e.min_chunks == e.max_chunks) return fmt::format("{}", *e.min_chunks);
    if (!e.max_chunks) return fmt::format("at least {}", *e.min_chunks);
    if (!e.min_chunks) return fmt::format("at most {}", *e.max_chunks);
    return fmt::format("{} to {}", *e.min_chunks, *e.max_chunks);
}

class checker {
 public:
    checker(const expectation& e, const turn_outcome& actual) : expected_(e), outcome_(actual) {}

    std::vector<broken_expectation> check() {
        if (!outcome_.failure.empty()) {
            add("reply", "no failure", cut_to_fit(outcome_.failure));
            return std::move(broken_);
        }
        check_pattern("text", expected_.text, true);
        check_pattern("not_text", expected_.not_text, false);
        check_calls();
        check_finish_reason();
        check_times();
        check_chunks();
        return std::move(broken_);
    }

 private:
    void add(const char* name, std::string expected, std::string got) {
        broken_.push_back({name, std::move(expected), std::move(got)});
    }

    void check_pattern(const char* name, const std::optional<text_pattern>& pattern, bool wanted) {
        if (!pattern) return;
        const auto expected = fmt::format("{}/{}/", wanted ? "" : "not ", pattern->source);
        if (outcome_.text.size() > max_searched_bytes)
            return add(name, expected,
                       fmt::format("{} bytes; at most {} are searched", outcome_.text.size(),
                                   max_searched_bytes));
        if (std::regex_search(outcome_.text, pattern->regex) != wanted)
            add(name, expected, fmt::format("«{}»", cut_to_fit(outcome_.text)));
    }

    void check_calls() {
        if (!expected_.calls) return;
        const auto& calls = *expected_.calls;
        if (!std::ranges::equal(calls, outcome_.calls, is_met))
            add("calls", calls_text(calls), calls_text(outcome_.calls));
    }

    void check_finish_reason() {
        const auto actual = to_string(outcome_.finish_reason);
        if (!expected_.finish_reason.empty() && expected_.finish_reason != actual)
            add("finish_reason", expected_.finish_reason, std::string(actual));
    }

    void check_times() {
        const auto first = outcome_.first_chunk_ms;
        if (const auto most = expected_.first_chunk_ms; most && (first < 0 || first > *most))
            add("first_chunk_ms", limit_text(*most), first < 0 ? "no chunk" : ms_text(first));
        if (const auto most = expected_.gap_ms; most && outcome_.longest_gap_ms > *most)
            add("gap_ms", limit_text(*most), ms_text(outcome_.longest_gap_ms));
    }

    void check_chunks() {
        const bool too_few = expected_.min_chunks && outcome_.chunks < *expected_.min_chunks;
        const bool too_many = expected_.max_chunks && outcome_.chunks > *expected_.max_chunks;
        if (too_few || too_many)
            add("chunks", chunks_text(expected_), fmt::format("{}", outcome_.chunks));
    }

    const expectation& expected_;
    const turn_outcome& outcome_;
    std::vector<broken_expectation> broken_;
};

}  // namespace

void turn_outcome::add(const reply_result& r) {
    if (!text.empty() && !r.text.empty()) text += '\n';
    text += r.text;
    calls.insert(calls.end(), r.calls.begin(), r.calls.end());
    finish_reason = r.finish_reason;
    if (replies++ == 0) first_chunk_ms = r.metrics.first_chunk_ms;
    longest_gap_ms = std::max(longest_gap_ms, r.metrics.longest_gap_ms);
    chunks += r.metrics.chunks;
    total_ms += r.metrics.total_ms;
    if (r.finish_reason == finish_reason::error)
        failure = fmt::format("{}: {}", error_name(r.error), format_error(r.error, r.diagnostics));
}

std::vector<broken_expectation> find_broken_expectations(const expectation& e,
                                                         const turn_outcome& actual) {
    return checker(e, actual).check();
}

std::string format_place(const checked_turn& turn) {
    const auto line = turn.line == 0 ? std::string() : fmt::format("line {}, ", turn.line);
    return fmt::format("{}turn {}", line, turn.turn);
}

std::string describe(const broken_expectation& b) {
    return fmt::format("{}: expected {}, got {}", b.name, b.expected, b.got);
}

}  // namespace tandem::command
