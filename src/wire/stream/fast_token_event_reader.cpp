#include "wire/stream/fast_token_event_reader.hpp"

#include <charconv>

namespace tandem::wire {
namespace {

// Consumes its text from the front; each function returns false if the next item is of another
// kind.
class cursor {
 public:
    explicit cursor(std::string_view text) : text_(text) {}

    bool skip_literal(std::string_view expected) noexcept {
        if (!text_.starts_with(expected)) return false;
        text_.remove_prefix(expected.size());
        return true;
    }

    bool read_count(int& out) noexcept {
        const char* const begin = text_.data();
        const auto [end, fault] = std::from_chars(begin, begin + text_.size(), out);
        const auto length = static_cast<std::size_t>(end - begin);
        // JSON allows no leading zeros, and counts have no sign.
        if (fault != std::errc{} || out < 0 || text_[0] == '-') return false;
        if (length > 1 && text_[0] == '0') return false;
        if (out > max_reported_tokens) return false;
        text_.remove_prefix(length);
        return true;
    }

    bool read_string(std::string& out) {
        if (!skip_literal("\"")) return false;
        for (;;) {
            const auto plain = plain_prefix();
            out.append(text_.substr(0, plain));
            text_.remove_prefix(plain);
            if (skip_literal("\"")) return true;
            if (!read_escape(out)) return false;
        }
    }

    bool at_end() const noexcept { return text_.empty(); }

 private:
    std::size_t plain_prefix() const noexcept {
        std::size_t n = 0;
        while (n < text_.size() && text_[n] != '"' && text_[n] != '\\' &&
               static_cast<unsigned char>(text_[n]) >= 0x20)
            ++n;
        return n;
    }

    bool read_escape(std::string& out) {
        constexpr std::string_view names = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (text_.size() < 2 || text_[0] != '\\') return false;
        const auto which = names.find(text_[1]);
        if (which == std::string_view::npos) return false;
        out += meanings[which];
        text_.remove_prefix(2);
        return true;
    }

    std::string_view text_;
};

bool read_timings(cursor& in, timings& out) {
    return in.skip_literal("{\"cache_n\":") && in.read_count(out.cached) &&
           in.skip_literal(",\"prompt_n\":") && in.read_count(out.evaluated) &&
           in.skip_literal(",");
}

bool read_token(cursor& in, token_event& out) {
    int id = 0;
    if (!in.skip_literal("[") || !in.read_count(id) || !in.skip_literal("]")) return false;
    out.tokens.assign(1, id);
    return true;
}

}  // namespace

bool read_token_event_fast(std::string_view data, token_event& out) {
    cursor in(data);
    const bool is_partial =
        in.skip_literal("{\"index\":0,\"content\":") && in.read_string(out.content) &&
        in.skip_literal(",\"tokens\":") && read_token(in, out) &&
        in.skip_literal(",\"stop\":false,\"id_slot\":-1,\"tokens_predicted\":") &&
        in.read_count(out.predicted) && in.skip_literal(",\"tokens_evaluated\":") &&
        in.read_count(out.prompt_tokens);
    if (!is_partial) return false;
    if (in.skip_literal("}")) return in.at_end();
    out.has_timings = in.skip_literal(",\"timings\":") && read_timings(in, out.timings);
    // Text after the counts is not read; see token_event_handler::ends_here().
    return out.has_timings && out.predicted > 0 && out.prompt_tokens > 0;
}

}  // namespace tandem::wire
