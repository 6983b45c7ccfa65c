#include "wire/stream/token_event_decoder.hpp"

#include "text/characters/utf8.hpp"
#include "wire/json/json.hpp"
#include "wire/stream/fast_token_event_reader.hpp"
#include "wire/stream/invalid_utf8.hpp"
#include "wire/stream/sanitize_server_text.hpp"
#include "wire/stream/token_event_fields.hpp"

#include "tandem/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace tandem::wire {
namespace {

stop_type stop_type_of(std::string_view name) noexcept {
    const auto found = std::ranges::find(stop_type_names, name);
    return found == stop_type_names.end() ? stop_type::none
                                          : static_cast<stop_type>(found - stop_type_names.begin());
}

/// Resets `e` but keeps its memory.
void clear(token_event& e) noexcept {
    e.what = token_event::kind::token;
    e.content.clear();
    e.events = 1;
    e.tokens.clear();
    e.predicted = e.prompt_tokens = 0;
    e.has_timings = false;
    e.timings = {};
    e.stop = stop_type::none;
    e.stopping_word.clear();
    e.id_slot = -1;
    e.slot_tokens = 0;
    e.truncated = false;
    e.error_status = 0;
    e.error_type.clear();
    e.error_message.clear();
    e.error_prompt_tokens = e.error_context = 0;
}

/// Extracts the fields of a token event from the parser's events. A handler that returns false ends
/// the parse: the JSON is not a token event.
class token_event_handler {
 public:
    explicit token_event_handler(token_event& out) : out_(out) {}

    bool null();
    bool boolean(bool value);
    bool number_integer(std::int64_t value) { return integer(value); }
    bool number_unsigned(std::uint64_t value);
    bool number_float(double value, const std::string&);
    bool string(std::string& value);
    bool binary(json::binary_t&) { return false; }
    bool start_object(std::size_t);
    bool end_object();
    bool start_array(std::size_t);
    bool end_array();
    bool key(std::string& name);
    bool parse_error(std::size_t, const std::string&, const json::exception&) { return false; }

    /// Whether the parse ended early, because the rest of a partial event is not needed.
    bool has_enough() const noexcept { return has_enough_; }
    /// Determines the kind of the event after the parse; false if the object is not an event.
    bool conclude();

 private:
    bool set_stop_type(bool value, stop_type why) noexcept;
    bool integer(std::int64_t value);
    bool add_token(std::int64_t value);
    bool ends_here() noexcept;
    void take_progress() noexcept;
    field take_field() noexcept;

    token_event& out_;
    int depth_ = 0;
    section section_ = section::top;
    /// The field of the next value.
    field field_ = field::other;
    bool has_content_ = false, has_progress_ = false, has_error_ = false, is_final_ = false;
    int processed_ = 0;
    bool has_stop_ = false, has_cached_ = false, has_enough_ = false;
};

bool to_int(std::int64_t value, std::int64_t least, int& out) noexcept {
    if (value < least || value > std::numeric_limits<int>::max()) return false;
    out = static_cast<int>(value);
    return true;
}

bool to_tokens(std::int64_t value, int& out) noexcept {
    return value <= max_reported_tokens && to_int(value, 0, out);
}

/// Servers write -1 for missing counts.
bool to_count(std::int64_t value, int& out) noexcept {
    return to_tokens(std::max<std::int64_t>(value, 0), out);
}

field token_event_handler::take_field() noexcept {
    const auto f = field_;
    // All items of an array belong to the same field.
    if (f != field::token) field_ = field::other;
    return f;
}

bool token_event_handler::null() {
    return depth_ > 0 && take_field() != field::token;
}

bool token_event_handler::boolean(bool value) {
    if (depth_ == 0) return false;
    switch (const auto f = take_field()) {
        case field::other:
            return true;
        case field::stop:
            has_stop_ = true;
            is_final_ = value;
            return true;
        case field::truncated:
            out_.truncated = value;
            return true;
        case field::stopped_eos:
            return set_stop_type(value, stop_type::eos);
        case field::stopped_word:
            return set_stop_type(value, stop_type::word);
        case field::stopped_limit:
            return set_stop_type(value, stop_type::limit);
        default:
            return is_error_field(f);
    }
}

bool token_event_handler::set_stop_type(bool value, stop_type why) noexcept {
    if (value) out_.stop = why;
    return true;
}

bool token_event_handler::number_unsigned(std::uint64_t value) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    return integer(static_cast<std::int64_t>(std::min(value, most)));
}

bool token_event_handler::integer(std::int64_t value) {
    if (depth_ == 0) return false;
    switch (const auto f = take_field()) {
        case field::other:
            return true;
        case field::token:
            return add_token(value);
        case field::id_slot:
            return to_int(value, -1, out_.id_slot);
        case field::predicted:
            return to_tokens(value, out_.predicted);
        case field::prompt_tokens:
            return to_tokens(value, out_.prompt_tokens);
        case field::slot_tokens:
            return to_count(value, out_.slot_tokens);
        case field::cached:
            has_cached_ = true;
            return to_count(value, out_.timings.cached);
        case field::evaluated:
            return to_count(value, out_.timings.evaluated) && !ends_here();
        case field::prompt_ms:
            out_.timings.prompt_ms = static_cast<double>(value);
            return true;
        case field::predicted_ms:
            out_.timings.predicted_ms = static_cast<double>(value);
            return true;
        case field::progress_cached:
            return to_count(value, out_.timings.cached);
        case field::progress_processed:
            return to_count(value, processed_);
        case field::error_code:
            to_int(value, 0, out_.error_status);
            return true;
        case field::error_prompt_tokens:
            to_int(value, 0, out_.error_prompt_tokens);
            return true;
        case field::error_context:
            to_int(value, 0, out_.error_context);
            return true;
        default:
            return is_error_field(f);
    }
}

/// Whether the rest of the event is not needed. In a partial event, the two counts are the last
/// fields that are needed, and half of the bytes come after them.
bool token_event_handler::ends_here() noexcept {
    const bool is_partial = has_content_ && has_stop_ && !is_final_ && !has_error_;
    has_enough_ = is_partial && has_cached_ && out_.predicted > 0 && out_.prompt_tokens > 0;
    return has_enough_;
}

bool token_event_handler::add_token(std::int64_t value) {
    int id = 0;
    if (!to_int(value, 0, id)) return false;
    out_.tokens.push_back(id);
    return true;
}

bool token_event_handler::number_float(double value, const std::string&) {
    const auto f = take_field();
    if (f == field::prompt_ms) out_.timings.prompt_ms = value;
    if (f == field::predicted_ms) out_.timings.predicted_ms = value;
    const bool fits = f == field::other || f == field::prompt_ms || f == field::predicted_ms;
    return depth_ > 0 && (fits || is_error_field(f));
}

bool token_event_handler::string(std::string& value) {
    if (depth_ == 0) return false;
    switch (const auto f = take_field()) {
        case field::other:
            return true;
        case field::content:
            has_content_ = true;
            out_.content.assign(value);
            return true;
        case field::stop_type:
            out_.stop = stop_type_of(value);
            return true;
        case field::stopping_word:
            out_.stopping_word.assign(value);
            return true;
        case field::error:
            has_error_ = true;
            out_.error_message = sanitize_server_text(value);
            return true;
        case field::error_type:
            out_.error_type = sanitize_server_text(value);
            return true;
        case field::error_message:
            out_.error_message = sanitize_server_text(value);
            return true;
        default:
            return is_error_field(f);
    }
}

bool token_event_handler::start_object(std::size_t) {
    const auto f = take_field();
    if (++depth_ > max_depth) return false;
    if (f == field::timings) section_ = section::timings;
    if (f == field::progress) section_ = section::progress;
    if (f == field::error) section_ = section::error;
    out_.has_timings |= f == field::timings;
    has_progress_ |= f == field::progress;
    has_error_ |= f == field::error;
    return f == field::other || f == field::timings || f == field::progress || f == field::error ||
           is_error_field(f);
}

bool token_event_handler::end_object() {
    if (--depth_ == 1) section_ = section::top;
    return true;
}

bool token_event_handler::start_array(std::size_t) {
    const auto f = take_field();
    if (depth_ == 0 || ++depth_ > max_depth) return false;
    if (f == field::tokens) {
        out_.tokens.clear();
        field_ = field::token;
    }
    return f == field::other || f == field::tokens || is_error_field(f);
}

bool token_event_handler::end_array() {
    field_ = field::other;
    --depth_;
    return true;
}

bool token_event_handler::key(std::string& name) {
    const bool known = depth_ == 1 || (depth_ == 2 && section_ != section::top);
    field_ = known ? find_field(section_, name) : field::other;
    return true;
}

void token_event_handler::take_progress() noexcept {
    out_.timings.evaluated = std::max(processed_ - out_.timings.cached, 0);
    out_.has_timings = true;
}

bool token_event_handler::conclude() {
    const bool is_old_error = !has_content_ && !is_final_ && !out_.error_message.empty();
    using kind = token_event::kind;
    if (has_error_ || is_old_error)
        out_.what = kind::error;
    else if (is_final_)
        out_.what = kind::final;
    else if (has_progress_)
        out_.what = kind::progress;
    else
        out_.what = kind::token;
    // The id in a progress event belongs to no token.
    if (out_.what != kind::token) out_.tokens.clear();
    if (out_.what == kind::progress) take_progress();
    return out_.what != kind::token || has_content_;
}

error_code decode_valid(std::string_view data, token_event& out) {
    clear(out);
    if (read_token_event_fast(data, out)) return {};
    clear(out);
    token_event_handler handler(out);
    const bool parsed = json::sax_parse(data, &handler) || handler.has_enough();
    if (!parsed || !handler.conclude()) return errc::bad_response;
    return {};
}

/// Restores the bytes in the strings of an encoded event.
void restore_bytes(token_event& e) {
    e.content = unescape_invalid_utf8(e.content);
    for (auto* words : {&e.stopping_word, &e.error_type, &e.error_message})
        *words = sanitized_utf8(unescape_invalid_utf8(*words));
}

error_code decode_invalid(std::string_view data, token_event& out) {
    const auto valid = escape_invalid_utf8(data);
    if (!valid) return decode_valid(sanitized_utf8(data), out);
    const auto ec = decode_valid(*valid, out);
    restore_bytes(out);
    return ec;
}

}  // namespace

error_code decode_token_event(std::string_view data, token_event& out) {
    if (data.size() > max_event_bytes) return errc::response_too_large;
    if (text::find_invalid_utf8(data) != std::string_view::npos) return decode_invalid(data, out);
    return decode_valid(data, out);
}

}  // namespace tandem::wire
