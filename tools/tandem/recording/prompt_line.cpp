#include "recording/prompt_line.hpp"

#include "recording/tool_list.hpp"
#include "text/characters/white_space.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/json_path.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tandem::command {
namespace {

// Keeps the order of members, because a chat template may render an object as text.
using line_json = nlohmann::ordered_json;

constexpr const char* no_object =
    R"(not a JSON object; write {"prompt": "text"} or {"turns": ["text"]})";
constexpr std::size_t max_id_bytes = 256;
constexpr std::array<std::string_view, 4> known_roles{"system", "user", "assistant", "tool"};
constexpr double max_interrupt_ms = 24.0 * 3600 * 1000;
// `keys` limits the members of an object, because the parser's time is quadratic in their number.
constexpr wire::json_limits line_limits{
    .depth = 64, .values = std::numeric_limits<std::size_t>::max(), .keys = 1000};

// Reads the fields of one object and collects faults.
class prompt_line_reader {
 public:
    explicit prompt_line_reader(dialogue& d) : dialogue_(d) {}

    void read(const line_json& line);
    std::vector<std::string> faults;

 private:
    void read_field(const std::string& name, const line_json& value);

    void read_id(const line_json& value);
    void read_messages(const line_json& value);
    void read_message(std::size_t index, const line_json& value);
    void read_turns(const line_json& value);
    void read_max_tokens(const line_json& value);
    void read_interrupt(const line_json& value);
    void read_tools(const line_json& value);
    void read_results(const line_json& value);
    void read_turn(int turn, const line_json& value);
    void check_expect();
    std::vector<std::string> read_texts(const std::string& field, const line_json& value);
    void check_kind(const line_json& line);

    std::string text_of(const std::string& field, const line_json& value);
    void check_words(const std::string& field, const line_json& value);
    template <class... Args>
    void add(fmt::format_string<Args...> text, Args&&... args) {
        faults.push_back(fmt::format(text, std::forward<Args>(args)...));
    }

    dialogue& dialogue_;
    std::optional<expectation> expected_;
};

void prompt_line_reader::read(const line_json& line) {
    if (!line.is_object()) return faults.push_back(no_object);
    check_kind(line);
    for (const auto& [name, value] : line.items()) read_field(name, value);
    check_expect();
}

void prompt_line_reader::read_field(const std::string& name, const line_json& value) {
    if (name == "id")
        read_id(value);
    else if (name == "prompt")
        dialogue_.prompt = text_of("prompt", value);
    else if (name == "messages")
        read_messages(value);
    else if (name == "system")
        dialogue_.messages.push_back({"system", text_of("system", value)});
    else if (name == "turns")
        read_turns(value);
    else if (name == "max_tokens")
        read_max_tokens(value);
    else if (name == "interrupt_after_ms")
        read_interrupt(value);
    else if (name == "tools")
        read_tools(value);
    else if (name == "results")
        read_results(value);
    else if (name == "expect")
        expected_ = read_expectation(value, "expect", faults);
    else
        add("unknown field \"{}\"", name);
}

void prompt_line_reader::check_kind(const line_json& line) {
    std::string given;
    int kinds = 0;
    for (const auto* name : {"prompt", "messages", "turns"}) {
        if (!line.contains(name)) continue;
        given += fmt::format("{}{}", kinds++ > 0 ? " and " : "", name);
    }
    if (kinds == 0) add("prompt, messages or turns is required");
    if (kinds > 1) add("{} are given; use only one of them", given);
    if (line.contains("system") && !line.contains("turns"))
        add("system is allowed only with turns");
    for (const auto* name : {"tools", "results"})
        if (line.contains(name) && line.contains("prompt"))
            add("{} is allowed only with messages or turns", name);
}

std::string prompt_line_reader::text_of(const std::string& field, const line_json& value) {
    if (value.is_string()) return value.get<std::string>();
    add("{} must be a string, not {}", field, value.type_name());
    return {};
}

// Rejects text without words, because a model would have nothing to reply to.
void prompt_line_reader::check_words(const std::string& field, const line_json& value) {
    if (value.is_string() && text::is_all_white_space(value.get_ref<const std::string&>()))
        add("{} is empty or only white space", field);
}

void prompt_line_reader::read_id(const line_json& value) {
    dialogue_.id = text_of("id", value);
    if (value.is_string() && (dialogue_.id.empty() || dialogue_.id.size() > max_id_bytes))
        add("id has {} bytes; it must have 1 to {}", dialogue_.id.size(), max_id_bytes);
}

void prompt_line_reader::read_messages(const line_json& value) {
    if (!value.is_array() || value.empty())
        return add("messages must be a non-empty list of {{\"role\", \"content\"}}");
    for (std::size_t i = 0; i < value.size(); ++i) read_message(i, value[i]);
    if (const auto& last = value.back();
        last.is_object() && last.value("role", line_json()) == "user")
        check_words(fmt::format("messages[{}].content", value.size() - 1),
                    last.value("content", line_json()));
}

void prompt_line_reader::read_message(std::size_t index, const line_json& value) {
    const auto where = fmt::format("messages[{}]", index);
    if (!value.is_object()) return add("{} must be {{\"role\", \"content\"}}", where);
    for (const auto& [name, _] : value.items())
        if (name != "role" && name != "content") add("{}: unknown field \"{}\"", where, name);
    for (const auto* name : {"role", "content"})
        if (!value.contains(name)) return add("{} has no {}", where, name);
    auto role = text_of(where + ".role", value["role"]);
    if (value["role"].is_string() && std::ranges::find(known_roles, role) == known_roles.end())
        add("{}.role must be system, user, assistant or tool", where);
    dialogue_.messages.push_back({std::move(role), text_of(where + ".content", value["content"])});
}

void prompt_line_reader::read_turns(const line_json& value) {
    if (!value.is_array() || value.empty()) return add("turns must be a non-empty list");
    for (std::size_t i = 0; i < value.size(); ++i) read_turn(static_cast<int>(i), value[i]);
}

void prompt_line_reader::read_turn(int turn, const line_json& value) {
    const auto where = fmt::format("turns[{}]", turn);
    auto& text = dialogue_.turns.emplace_back();
    if (!value.is_object()) {
        text = text_of(where, value);
        return check_words(where, value);
    }
    for (const auto& [name, _] : value.items())
        if (name != "user" && name != "expect") add("{}: unknown field \"{}\"", where, name);
    if (!value.contains("user")) return add("{} has no user", where);
    text = text_of(where + ".user", value["user"]);
    check_words(where + ".user", value["user"]);
    if (value.contains("expect"))
        dialogue_.expected[turn] = read_expectation(value["expect"], where + ".expect", faults);
}

void prompt_line_reader::read_max_tokens(const line_json& value) {
    const bool fits = value.is_number_integer() && value <= 1'000'000 && value >= 0;
    if (!fits) return add("max_tokens must be a whole number from 0 to 1000000");
    dialogue_.max_tokens = value.get<int>();
}

void prompt_line_reader::read_interrupt(const line_json& value) {
    const double ms = value.is_number() ? value.get<double>() : -1;
    if (!(ms >= 0 && ms <= max_interrupt_ms))
        return add("interrupt_after_ms must be a number from 0 to {:.0f}", max_interrupt_ms);
    dialogue_.interrupt_after = duration(std::llround(ms * 1e6));
}

void prompt_line_reader::read_tools(const line_json& value) {
    dialogue_.tools = read_tool_list(value, "tools", faults).text;
}

void prompt_line_reader::read_results(const line_json& value) {
    if (!value.is_object() || value.empty())
        return add("results must be an object with the results of each function");
    for (const auto& [name, texts] : value.items())
        dialogue_.results[name] = read_texts("results." + name, texts);
}

std::vector<std::string> prompt_line_reader::read_texts(const std::string& field,
                                                        const line_json& value) {
    const auto is_text = [](const line_json& item) { return item.is_string(); };
    if (value.is_string()) return {value.get<std::string>()};
    if (value.is_array() && !value.empty() && std::ranges::all_of(value, is_text))
        return value.get<std::vector<std::string>>();
    add("{} must be a string or a non-empty list of strings", field);
    return {};
}

// An expectation outside of `turns` applies to the last turn.
void prompt_line_reader::check_expect() {
    if (!expected_) return;
    const int last = dialogue_.replies() - 1;
    if (!dialogue_.expected.emplace(last, *std::move(expected_)).second)
        add("expect is given twice for the last turn, by the line and by turns[{}]", last);
}

// The message of the JSON library may quote the text, so only the position is reported.
std::string find_json_end(const line_json::parse_error& e, std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] != '{') return no_object;
    if (e.byte > line.size()) return "the JSON object is incomplete at the end of the line";
    return fmt::format("not valid JSON at column {}", e.byte);
}

}  // namespace

std::vector<std::string> parse_prompt_line(std::string_view line, dialogue& d) try {
    const auto fault = wire::check_json(line, line_limits);
    if (fault == wire::json_fault::too_deep)
        return {fmt::format("the line is nested deeper than {} levels", line_limits.depth)};
    if (fault == wire::json_fault::too_many_keys)
        return {fmt::format("an object has more than {} members", line_limits.keys)};
    if (const auto field = wire::find_duplicate_field(line))
        return {fmt::format("{} is given twice", *field)};
    prompt_line_reader reader(d);
    reader.read(line_json::parse(line));
    return std::move(reader.faults);
} catch (const line_json::parse_error& e) {
    return {find_json_end(e, line)};
} catch (const line_json::exception&) {
    return {"a number is too large"};
}

}  // namespace tandem::command
