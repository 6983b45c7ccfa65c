#include "gateway/answers/tool_call_reader.hpp"

#include "gateway/answers/random_ids.hpp"
#include "gateway/json/raw_json.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::gateway {

/// Delimiters of a call.
struct call_mark {
    std::string_view open;
    /// Empty if the format has no closing mark.
    std::string_view close;
    /// Whether the function name may stand between the mark and the JSON. The JSON is then the
    /// arguments.
    bool has_name;
    /// Terminator of that name.
    char name_end;
};

namespace {

constexpr std::array<call_mark, 5> marks{{{"<tool_call>", "</tool_call>", false, '\0'},
                                          {"<|tool_call>", "<tool_call|>", false, '\0'},
                                          {"<|python_tag|>", "", false, '\0'},
                                          {"[TOOL_CALLS]", "", true, '['},
                                          {"<function=", "</function>", true, '>'}}};

/// Some models write it without the opening mark.
constexpr std::string_view outer_close = "</tool_call>";

/// First characters of marks, and white space, which is dropped before a mark.
constexpr std::string_view not_plain = "<[ \t\r\n";

constexpr std::size_t max_space_bytes = 256;
constexpr std::size_t max_label_bytes = 256;

bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const call_mark* find_mark(std::string_view text) noexcept {
    for (const auto& m : marks)
        if (m.open == text) return &m;
    return nullptr;
}

bool may_become_mark(std::string_view text) noexcept {
    return std::any_of(marks.begin(), marks.end(),
                       [&](const call_mark& m) { return m.open.starts_with(text); });
}

/// Whether `c` may occur between a mark and the JSON, as in `get_weather[CALL_ID]a1b2c3d4e[ARGS]`.
bool fits_label(const call_mark& mark, char c) noexcept {
    constexpr std::string_view other = "_-.[]>";
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_space(c) ||
           (mark.has_name && (is_letter || (c >= '0' && c <= '9') || other.find(c) != other.npos));
}

/// Whether a call may begin with this key.
bool is_call_key(std::string_view key) noexcept {
    for (const std::string_view known :
         {"name", "arguments", "parameters", "function", "type", "id"})
        if (key == known) return true;
    return false;
}

}  // namespace

tool_call_reader::tool_call_reader(call_rules rules) : rules_(std::move(rules)) {}

text_and_calls tool_call_reader::feed(std::string_view piece) {
    out_ = {};
    while (!piece.empty() && !is_full()) {
        const auto plain = plain_bytes(piece);
        if (plain > 0)
            emit_text(piece.substr(0, plain));
        else
            step(piece.front());
        piece.remove_prefix(std::max<std::size_t>(plain, 1));
    }
    return std::move(out_);
}

text_and_calls tool_call_reader::finish() {
    out_ = {};
    if (state_ == state::between && !pending_.empty()) emit_calls();
    // Some models omit the outer closing mark.
    if (state_ == state::markup && trim_json_space(held_).ends_with("</function>")) end_markup();
    if (state_ == state::label || state_ == state::json || state_ == state::markup)
        fail(mark_ ? call_fault::cut_off : call_fault::none);
    // A partial closing mark after a call is dropped.
    const bool is_end_of_call = is_after_call_ && outer_close.starts_with(held_);
    if (state_ == state::text && !is_end_of_call) emit_text(held_);
    held_.clear();
    space_.clear();
    return std::move(out_);
}

/// Number of leading bytes that are text regardless of what follows.
std::size_t tool_call_reader::plain_bytes(std::string_view piece) const noexcept {
    if (state_ != state::text || is_start_ || !held_.empty()) return 0;
    return std::min(piece.find_first_of(not_plain), piece.size());
}

void tool_call_reader::step(char c) {
    switch (state_) {
        case state::text:
            return step_in_text(c);
        case state::label:
            return step_in_label(c);
        case state::json:
            return step_in_json(c);
        case state::markup:
            return step_in_markup(c);
        case state::between:
            return mark_ ? step_between(c) : step_after_complete_call(c);
    }
}

void tool_call_reader::step_in_text(char c) {
    if (held_.empty() && is_space(c)) return hold_space(c);
    held_ += c;
    if (may_be_outer_close()) return;
    mark_ = find_mark(held_);
    if (mark_)
        state_ = state::label;
    else if (!may_become_mark(held_))
        leave_mark(c);
}

/// Whether `held_` is a prefix of the outer closing mark. Drops a complete mark.
bool tool_call_reader::may_be_outer_close() {
    if (!is_after_call_ || !outer_close.starts_with(held_)) return false;
    if (held_ == outer_close) {
        held_.clear();
        space_.clear();
    }
    return true;
}

/// `held_` ends with `c` and cannot become a mark.
void tool_call_reader::leave_mark(char c) {
    const bool is_whole = is_start_ && (held_ == "{" || (held_.size() == 2 && held_[0] == '['));
    held_.pop_back();
    if (is_whole) {
        const bool is_list = !std::exchange(held_, {}).empty();
        if (is_list) begin_json('[');
        return is_list ? step_in_json(c) : begin_json(c);
    }
    if (held_.empty()) return emit_text({&c, 1});
    emit_text(std::exchange(held_, {}));
    step_in_text(c);
}

void tool_call_reader::step_in_label(char c) {
    const bool is_blank = trim_json_space(label()).empty();
    const bool ends_name =
        is_blank || mark_->name_end != '>' || trim_json_space(label()).ends_with('>');
    if ((c == '{' && ends_name) || (c == '[' && is_blank)) return begin_json(c);
    if (begins_markup(c)) {
        state_ = state::markup;
        return step_in_markup(c);
    }
    if (!fits_label(*mark_, c) || label().size() >= max_label_bytes)
        return fail_before(c, call_fault::malformed);
    held_ += c;
}

std::string_view tool_call_reader::label() const noexcept {
    return std::string_view(held_).substr(mark_->open.size());
}

bool tool_call_reader::begins_markup(char c) const noexcept {
    if (mark_->close.empty() || is_space(c)) return false;
    const auto name = trim_json_space(label());
    return mark_->has_name ? c == '<' && name.ends_with(mark_->name_end) : name.empty();
}

void tool_call_reader::step_in_markup(char c) {
    if (held_.size() >= max_call_bytes) return fail_before(c, call_fault::too_long);
    held_ += c;
    if (held_.ends_with(mark_->close)) end_markup();
}

void tool_call_reader::end_markup() {
    const auto fault = take_markup();
    if (fault != call_fault::none) return fail(fault);
    state_ = state::text;
    emit_calls();
    held_.clear();
    space_.clear();
}

call_fault tool_call_reader::take_markup() {
    const auto calls = read_markup();
    auto fault = calls.empty() ? call_fault::malformed : call_fault::none;
    for (std::size_t i = 0; i < calls.size() && fault == call_fault::none; ++i)
        fault = parse_named_call(calls[i].name, calls[i].arguments, rules_.functions, pending_);
    return fault;
}

std::vector<parsed_call> tool_call_reader::read_markup() const {
    if (mark_->has_name) return parse_function_markup(held_, rules_.texts);
    auto body = label();
    if (body.ends_with(mark_->close)) body.remove_suffix(mark_->close.size());
    const bool is_gemma = mark_->close == "<tool_call|>";
    if (!is_gemma && trim_json_space(body).starts_with('<'))
        return parse_function_markup(body, rules_.texts);
    auto call = is_gemma ? parse_gemma_call(body) : parse_key_value_markup(body, rules_.texts);
    std::vector<parsed_call> calls;
    if (call) calls.push_back(*std::move(call));
    return calls;
}

void tool_call_reader::begin_json(char c) {
    state_ = state::json;
    scanner_ = {};
    json_at_ = held_.size();
    first_key_at_ = 0;
    has_first_key_ = false;
    step_in_json(c);
}

void tool_call_reader::step_in_json(char c) {
    if (held_.size() >= max_call_bytes) return fail_before(c, call_fault::too_long);
    const auto result = scanner_.step(c);
    held_ += c;
    const bool is_call = mark_ || result == json_scanner::result::closed || may_still_be_call(c);
    if (result != json_scanner::result::broken && is_call)
        return result == json_scanner::result::closed ? end_json() : void();
    held_.pop_back();
    fail_before(c, call_fault::malformed);
}

/// Whether text without a mark that ends with `c` may still be a call. Its first key decides.
bool tool_call_reader::may_still_be_call(char c) {
    constexpr std::size_t longest_key = 10;
    if (has_first_key_) return true;
    if (first_key_at_ > 0 && scanner_.in_string())
        return held_.size() - first_key_at_ <= longest_key;
    if (first_key_at_ > 0) {
        has_first_key_ = true;
        const auto key = std::string_view(held_).substr(first_key_at_);
        return is_call_key(key.substr(0, key.size() - 1));
    }
    const int depth_of_object = held_[json_at_] == '[' ? 2 : 1;
    if (c == '"') first_key_at_ = held_.size();
    if (c == '[') return held_.size() == json_at_ + 1;
    return is_space(c) || ((c == '{' || c == '"') && scanner_.depth() == depth_of_object);
}

void tool_call_reader::end_json() {
    const auto fault = read_json();
    if (fault != call_fault::none)
        return fail(mark_ || fault == call_fault::unknown_function ? fault : call_fault::none);
    state_ = state::between;
    if (!mark_) return;
    emit_calls();
    held_.clear();
    space_.clear();
}

call_fault tool_call_reader::read_json() {
    const auto json = std::string_view(held_).substr(json_at_);
    const bool has_label =
        mark_ && mark_->has_name && !trim_json_space(label()).starts_with(json.front());
    if (!has_label) return read_calls(json, rules_.functions, pending_);
    const auto before = label().substr(0, label().size() - json.size());
    const auto name = trim_json_space(before.substr(0, before.find(mark_->name_end)));
    return parse_named_call(name, json, rules_.functions, pending_);
}

void tool_call_reader::emit_calls() {
    for (auto& call : std::exchange(pending_, {})) {
        if (is_full()) break;
        call.id = call_id(rules_.id_seed, calls_read_++);
        out_.calls.push_back(std::move(call));
    }
    is_after_call_ = true;
    is_start_ = false;
}

void tool_call_reader::step_between(char c) {
    // Llama separates calls by semicolons.
    if (held_.empty() && (is_space(c) || c == ';')) return hold_space(c);
    if (held_.empty() && c == '{' && !mark_->has_name) return begin_json(c);
    held_ += c;
    if (!mark_->close.starts_with(held_) || mark_->close.empty()) {
        state_ = state::text;
        for (const char held : std::exchange(held_, {})) step(held);
    } else if (held_ == mark_->close) {
        state_ = state::text;
        held_.clear();
        space_.clear();
    }
}

/// Text without marks is a call only if the entire text consists of calls.
void tool_call_reader::step_after_complete_call(char c) {
    if (c == '{' || c == '[') return begin_json(c);
    if ((!is_space(c) && c != ';') || held_.size() >= max_call_bytes)
        return fail_before(c, call_fault::none);
    held_ += c;
}

/// Outputs the held text as text rather than a call.
void tool_call_reader::fail(call_fault why) {
    if (out_.fault == call_fault::none) out_.fault = why;
    if (mark_ && why != call_fault::none && out_.broken_at == std::string::npos)
        out_.broken_at = out_.text.size();
    state_ = state::text;
    pending_.clear();
    emit_text(std::exchange(held_, {}));
}

/// Same, but processes `c` afterwards, because it may start another call. Text without a mark is
/// not an error.
void tool_call_reader::fail_before(char c, call_fault why) {
    fail(mark_ ? why : call_fault::none);
    step(c);
}

void tool_call_reader::emit_text(std::string_view text) {
    if (text.empty() && space_.empty()) return;
    out_.text += space_;
    out_.text += text;
    space_.clear();
    is_start_ = false;
    is_after_call_ = false;
}

void tool_call_reader::hold_space(char c) {
    space_ += c;
    if (space_.size() > max_space_bytes) emit_text({});
}

}  // namespace tandem::gateway
