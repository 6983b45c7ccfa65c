#include "recording/expectation.hpp"

#include "wire/json/dump_json.hpp"

#include "tandem/result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

using ordered_json = nlohmann::ordered_json;

constexpr std::size_t max_pattern_bytes = 1000;
constexpr std::size_t max_calls = 100;
constexpr double max_expected_ms = 24.0 * 3600 * 1000;
constexpr int max_chunk_count = 1'000'000;
constexpr std::array finish_reasons{finish_reason::eos, finish_reason::stop_word,
                                    finish_reason::length, finish_reason::tool_calls,
                                    finish_reason::interrupted};

// By default, libstdc++ recurses for each character, and may take exponential time.
constexpr auto pattern_flags = std::regex_constants::ECMAScript
#ifdef __GLIBCXX__
                               | std::regex_constants::__polynomial
#endif
    ;

class expectation_reader {
 public:
    expectation_reader(std::string where, std::vector<std::string>& faults)
        : where_(std::move(where)), faults_(faults) {}

    expectation read(const ordered_json& value);

 private:
    void read_field(const std::string& name, const ordered_json& value);
    void read_calls(const ordered_json& value);
    expected_call call_of(const std::string& at, const ordered_json& value);
    void read_finish_reason(const ordered_json& value);
    void read_chunks(const ordered_json& value);
    void read_chunk_range(const ordered_json& value);

    text_pattern pattern_of(const char* name, const ordered_json& value);
    double ms_of(const char* name, const ordered_json& value);
    std::optional<int> count_of(const char* name, const ordered_json& value);
    template <class... Args>
    void add(fmt::format_string<Args...> text, Args&&... args) {
        faults_.push_back(where_ + fmt::format(text, std::forward<Args>(args)...));
    }

    std::string where_;
    std::vector<std::string>& faults_;
    expectation result_;
};

expectation expectation_reader::read(const ordered_json& value) {
    if (!value.is_object() || value.empty()) {
        add(" must be a non-empty object");
        return {};
    }
    for (const auto& [name, field] : value.items()) read_field(name, field);
    result_.source = wire::dump_json(value);
    return std::move(result_);
}

void expectation_reader::read_field(const std::string& name, const ordered_json& value) {
    if (name == "text")
        result_.text = pattern_of("text", value);
    else if (name == "not_text")
        result_.not_text = pattern_of("not_text", value);
    else if (name == "calls")
        read_calls(value);
    else if (name == "finish_reason")
        read_finish_reason(value);
    else if (name == "first_chunk_ms")
        result_.first_chunk_ms = ms_of("first_chunk_ms", value);
    else if (name == "gap_ms")
        result_.gap_ms = ms_of("gap_ms", value);
    else if (name == "chunks")
        read_chunks(value);
    else
        add(": unknown field \"{}\"; known are text, not_text, calls, finish_reason, "
            "first_chunk_ms, gap_ms, chunks",
            name);
}

text_pattern expectation_reader::pattern_of(const char* name, const ordered_json& value) {
    const auto source = value.is_string() ? value.get<std::string>() : std::string();
    if (source.empty() || source.size() > max_pattern_bytes) {
        add(".{} must be a regular expression of 1 to {} bytes", name, max_pattern_bytes);
        return {};
    }
    try {
        return {source, std::regex(source, pattern_flags)};
    } catch (const std::regex_error&) {
        add(".{} is \"{}\", which is not a regular expression of ECMAScript that can be searched "
            "without backtracking",
            name, source);
        return {};
    }
}

void expectation_reader::read_calls(const ordered_json& value) {
    if (!value.is_array() || value.size() > max_calls)
        return add(".calls must be a list of at most {} functions", max_calls);
    auto& calls = result_.calls.emplace();
    for (std::size_t i = 0; i < value.size(); ++i)
        calls.push_back(call_of(fmt::format(".calls[{}]", i), value[i]));
}

expected_call expectation_reader::call_of(const std::string& at, const ordered_json& value) {
    if (value.is_string() && !value.get_ref<const std::string&>().empty())
        return {value.get<std::string>()};
    const auto name = value.is_object() ? value.value("name", ordered_json()) : ordered_json();
    if (!name.is_string() || name.get_ref<const std::string&>().empty()) {
        add("{} must be the name of a function or {{\"name\", \"arguments\"}}", at);
        return {};
    }
    expected_call call{name.get<std::string>()};
    for (const auto& [member, content] : value.items()) {
        if (member == "arguments" && content.is_object())
            call.arguments = wire::dump_json(content);
        else if (member == "arguments")
            add("{}.arguments must be an object", at);
        else if (member != "name")
            add("{}: unknown field \"{}\"; known are name, arguments", at, member);
    }
    return call;
}

void expectation_reader::read_finish_reason(const ordered_json& value) {
    std::vector<std::string_view> names;
    names.reserve(std::size(finish_reasons));
    for (const auto reason : finish_reasons) names.push_back(to_string(reason));
    if (value.is_string()) result_.finish_reason = value.get<std::string>();
    if (std::ranges::find(names, result_.finish_reason) == names.end())
        add(".finish_reason must be one of {}", fmt::join(names, ", "));
}

double expectation_reader::ms_of(const char* name, const ordered_json& value) {
    const double ms = value.is_number() ? value.get<double>() : -1;
    if (!(ms >= 0 && ms <= max_expected_ms))
        add(".{} must be a number from 0 to {:.0f}", name, max_expected_ms);
    return ms;
}

std::optional<int> expectation_reader::count_of(const char* name, const ordered_json& value) {
    const bool fits = value.is_number_integer() && value >= 0 && value <= max_chunk_count;
    if (fits) return value.get<int>();
    add(".{} must be a whole number from 0 to {}", name, max_chunk_count);
    return std::nullopt;
}

void expectation_reader::read_chunks(const ordered_json& value) {
    if (value.is_object() && !value.empty()) return read_chunk_range(value);
    if (!value.is_number_integer())
        return add(".chunks must be a whole number or {{\"min\", \"max\"}}");
    result_.min_chunks = result_.max_chunks = count_of("chunks", value);
}

void expectation_reader::read_chunk_range(const ordered_json& value) {
    for (const auto& [name, bound] : value.items()) {
        if (name == "min")
            result_.min_chunks = count_of("chunks.min", bound);
        else if (name == "max")
            result_.max_chunks = count_of("chunks.max", bound);
        else
            add(".chunks: unknown field \"{}\"; known are min, max", name);
    }
    const auto most = result_.max_chunks.value_or(std::numeric_limits<int>::max());
    if (result_.min_chunks.value_or(0) > most)
        add(".chunks.min is {}, more than max, {}", *result_.min_chunks, most);
}

}  // namespace

expectation read_expectation(const ordered_json& value, const std::string& where,
                             std::vector<std::string>& faults) {
    return expectation_reader(where, faults).read(value);
}

}  // namespace tandem::command
