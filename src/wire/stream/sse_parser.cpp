#include "wire/stream/sse_parser.hpp"

namespace tandem::wire {
namespace {

/// End of the first line of `text`; npos if the line is incomplete.
std::size_t find_line_end(std::string_view text) noexcept {
    const auto lf = text.find('\n');
    const auto cr = text.substr(0, lf).find('\r');
    return cr != std::string_view::npos ? cr : lf;
}

struct sse_field {
    std::string_view name;
    std::string_view value;
};

sse_field split(std::string_view line) noexcept {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return {line, {}};
    auto value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    return {line.substr(0, colon), value};
}

}  // namespace

bool sse_parser::next(sse_event& out) {
    if (given_) clear_event();
    while (const auto l = next_line()) {
        const bool complete = read(*l, out);
        line_.clear();
        if (complete) return true;
    }
    // Copies the data, because the bytes that feed() received may be invalid after this call.
    if (has_data_) store_data();
    return false;
}

/// The next complete line; a partial line is kept for the next feed().
std::optional<sse_parser::line> sse_parser::next_line() {
    if (error_) return std::nullopt;
    if (skip_lf_ && !input_.empty()) {
        skip_lf_ = false;
        if (input_.front() == '\n') input_.remove_prefix(1);
    }
    const auto end = find_line_end(input_);
    const auto text = input_.substr(0, end);
    if (!fits(line_.size() + text.size())) return std::nullopt;
    const bool whole = end != std::string_view::npos;
    const bool in_input = whole && line_.empty();
    if (!in_input) line_ += text;
    if (whole) skip_lf_ = input_[end] == '\r';
    input_.remove_prefix(whole ? end + 1 : input_.size());
    if (!whole) return std::nullopt;
    return line{in_input ? text : std::string_view(line_), in_input};
}

bool sse_parser::fits(std::size_t more_bytes) noexcept {
    if (event_bytes_ + more_bytes <= max_bytes_) return true;
    error_ = errc::response_too_large;
    input_ = {};
    return false;
}

/// Returns true if the line completes an item, and stores the item in `out`.
bool sse_parser::read(line l, sse_event& out) {
    if (first_line_ && l.text.starts_with("\xEF\xBB\xBF")) l.text.remove_prefix(3);
    first_line_ = false;
    if (l.text.starts_with(':')) {
        out = {sse_event::kind::keep_alive, {}, {}};
        return true;
    }
    if (!l.text.empty()) {
        read_field(l);
        return false;
    }
    if (!has_data_) {
        clear_event();
        return false;
    }
    out = {sse_event::kind::message, type_.empty() ? std::string_view("message") : type_,
           data_is_stored_ ? std::string_view(stored_data_) : data_};
    given_ = true;
    return true;
}

/// Ignores `id` and `retry`, which are for clients that reconnect to a stream.
void sse_parser::read_field(line l) {
    event_bytes_ += l.text.size();
    const auto [name, value] = split(l.text);
    if (name == "data") add_data(value, l.in_input);
    if (name == "event") type_ = value;
    if (name == "error") {
        type_ = name;
        add_data(value, l.in_input);
    }
}

void sse_parser::add_data(std::string_view value, bool in_input) {
    if (!has_data_ && in_input) {
        data_ = value;
        has_data_ = true;
        return;
    }
    if (has_data_) {
        store_data();
        stored_data_ += '\n';
    }
    stored_data_ += value;
    has_data_ = data_is_stored_ = true;
}

void sse_parser::store_data() {
    if (data_is_stored_) return;
    stored_data_ = data_;
    data_is_stored_ = true;
}

void sse_parser::clear_event() noexcept {
    given_ = has_data_ = data_is_stored_ = false;
    event_bytes_ = 0;
    type_.clear();
    stored_data_.clear();
}

}  // namespace tandem::wire
