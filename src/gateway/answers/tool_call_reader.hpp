#pragma once

#include "gateway/answers/call_text.hpp"
#include "gateway/json/json_scanner.hpp"
#include "gateway/requests/call_markup.hpp"

#include "tandem/server.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// The text of one call, or of a list of them, with its marks: what is longer is text.
inline constexpr std::size_t max_call_bytes = std::size_t{64} << 10;

/// Which calls there may be in an answer.
struct call_rules {
    /// The functions that may be called.
    std::vector<std::string> functions{};
    /// Which of their parameters are texts.
    text_parameters texts{};
    /// From which the ids of the calls are made; see call_id().
    std::uint64_t id_seed = 0;
    /// More are dropped. OpenAI's own clients take 128; 1 where the request wants no parallel ones.
    std::size_t most_calls = 128;
};

/// What of an answer is known to be text now, and the calls that are complete.
struct text_and_calls {
    std::string text{};
    std::vector<tool_call> calls{};
    /// Why something that looked like a call is none.
    call_fault fault = call_fault::none;
    /// Where in `text` that begins, with its mark and the white space before it; npos where there
    /// is none, or no mark.
    std::size_t broken_at = std::string::npos;
};

struct call_mark;

/// Finds the calls in the text of an answer, which comes in pieces, and takes them out:
///
///     <tool_call>{"name":…,"arguments":{…}}</tool_call>      Hermes, Qwen
///     <|python_tag|>{"name":…,"parameters":{…}}              Llama
///     [TOOL_CALLS][{"name":…,"arguments":{…}}, …]            Mistral
///     [TOOL_CALLS]name[ARGS]{…}                              Mistral, newer
///     <function=name>{…}</function>                          functionary, Llama
///     <tool_call><function=name><parameter=p>…</parameter></function></tool_call>   Qwen3-Coder
///     <tool_call>name<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>       GLM
///     <|tool_call>call:name{p:<|"|>…<|"|>}<tool_call|>       Gemma 4
///
/// and an object or a list of such, without a mark, where it is the whole text. What is none of
/// these is text, unchanged, and so is a call that cannot be read or is of another function. The
/// reader drops white space before a call, white space after the last call, and a `</tool_call>`
/// that follows a call. The result is the same however the text is divided.
///
/// Text is held back only as long as it may become a call: white space (256 bytes at most), the
/// start of a mark, and from a mark on what may be JSON, `max_call_bytes` at most; then it is text.
/// Text without marks that starts like JSON is held back until it is known to be no call. Takes
/// time in proportion to the text. One object reads one answer. Not thread-safe. Throws
/// std::bad_alloc only.
class tool_call_reader {
 public:
    explicit tool_call_reader(call_rules rules);

    /// Reads a piece of valid UTF-8, whole characters.
    text_and_calls feed(std::string_view piece);
    /// No text follows.
    text_and_calls finish();

    /// `most_calls` have come: nothing more comes out, so that the reply may be ended.
    bool is_full() const noexcept { return calls_read_ >= rules_.most_calls; }
    /// Whether there was a call: the answer ends with "tool_calls" then.
    bool has_calls() const noexcept { return calls_read_ > 0; }

 private:
    enum class state {
        text,
        label,    ///< behind a mark, before the JSON
        json,     ///< in it
        markup,   ///< in a call that is no JSON, up to its closing mark
        between,  ///< behind a call, where another one or a closing mark may follow
    };

    std::size_t plain_bytes(std::string_view piece) const noexcept;
    void step(char c);
    void step_in_text(char c);
    bool goes_on_as_outer_close();
    void step_in_label(char c);
    void step_in_json(char c);
    void step_in_markup(char c);
    void step_between(char c);
    void step_behind_whole(char c);

    void leave_mark(char c);
    void begin_json(char c);
    bool goes_on_like_a_call(char c);
    void end_json();
    call_fault read_json();
    bool begins_markup(char c) const noexcept;
    void end_markup();
    call_fault take_markup();
    std::vector<written_call> read_markup() const;
    std::string_view label() const noexcept;
    void emit_calls();
    void fail(call_fault why);
    void fail_before(char c, call_fault why);
    void give_out(std::string_view text);
    void hold_space(char c);

    call_rules rules_;
    state state_ = state::text;
    /// Of the call that is read; nullptr for one that has none.
    const call_mark* mark_ = nullptr;
    /// Nothing came out yet.
    bool is_start_ = true;
    bool is_after_call_ = false;
    std::size_t calls_read_ = 0;

    /// White space; after it the start of a mark, or a mark and what follows it.
    std::string space_;
    std::string held_;
    /// Where the JSON begins in `held_`, and its first string, if that has begun.
    std::size_t json_at_ = 0;
    std::size_t first_key_at_ = 0;
    bool has_first_key_ = false;
    json_scanner scanner_;
    /// Calls without a mark, which are text if more than calls follows.
    std::vector<tool_call> pending_;

    // Of the call under way.
    text_and_calls out_;
};

}  // namespace tandem::gateway
