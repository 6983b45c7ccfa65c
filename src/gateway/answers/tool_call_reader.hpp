#pragma once

#include "gateway/answers/tool_call_parser.hpp"
#include "gateway/json/json_scanner.hpp"
#include "gateway/requests/call_markup.hpp"

#include "tandem/server.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// Maximum size of a call, or of a list of calls, including its marks. Anything longer is text.
inline constexpr std::size_t max_call_bytes = std::size_t{64} << 10;

/// Which tool calls an answer may contain.
struct call_rules {
    /// Names of the functions that may be called.
    std::vector<std::string> functions{};
    /// The string parameters of these functions.
    text_parameters texts{};
    /// Seed for the ids of the calls; see call_id().
    std::uint64_t id_seed = 0;
    /// Maximum number of calls; further ones are dropped. OpenAI's limit is 128. Set to 1 if the
    /// request disables parallel calls.
    std::size_t max_calls = 128;
};

/// Text and complete calls found so far.
struct text_and_calls {
    std::string text{};
    std::vector<tool_call> calls{};
    /// Why something that looks like a call is not a valid one.
    call_fault fault = call_fault::none;
    /// Offset in `text` of the broken call, including its mark and the preceding white space; npos
    /// if there is none, or if it has no mark.
    std::size_t broken_at = std::string::npos;
};

struct call_mark;

/// Extracts tool calls from the text of an answer that arrives in pieces. Recognizes these formats:
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
/// An object or a list of objects without a mark is also a call if it is the entire text.
/// Everything else is passed on unchanged as text, including malformed calls and calls of unknown
/// functions. White space before a call, white space after the last call, and a stray
/// `</tool_call>` after a call are dropped. The result does not depend on how the text is split
/// into pieces.
///
/// Text is held back only while it may become a call: white space (up to 256 bytes), a prefix of a
/// mark, and the text after a mark (up to `max_call_bytes`). Text without marks that starts like
/// JSON is held back until it cannot be a call. Takes linear time. One object reads one answer. Not
/// thread-safe. Throws only std::bad_alloc.
class tool_call_reader {
 public:
    explicit tool_call_reader(call_rules rules);

    /// Reads a piece of valid UTF-8 that consists of complete characters.
    text_and_calls feed(std::string_view piece);
    /// Ends the text.
    text_and_calls finish();

    /// `max_calls` calls were read. Further text is ignored, so the reply may be cancelled.
    bool is_full() const noexcept { return calls_read_ >= rules_.max_calls; }
    /// Whether the answer contains a call and thus ends with "tool_calls".
    bool has_calls() const noexcept { return calls_read_ > 0; }

 private:
    enum class state {
        text,
        label,    ///< after a mark, before the JSON
        json,     ///< in the JSON
        markup,   ///< in a call that is not JSON, up to its closing mark
        between,  ///< after a call, where another call or a closing mark may follow
    };

    std::size_t plain_bytes(std::string_view piece) const noexcept;
    void step(char c);
    void step_in_text(char c);
    bool may_be_outer_close();
    void step_in_label(char c);
    void step_in_json(char c);
    void step_in_markup(char c);
    void step_between(char c);
    void step_after_complete_call(char c);

    void leave_mark(char c);
    void begin_json(char c);
    bool may_still_be_call(char c);
    void end_json();
    call_fault read_json();
    bool begins_markup(char c) const noexcept;
    void end_markup();
    call_fault take_markup();
    std::vector<parsed_call> read_markup() const;
    std::string_view label() const noexcept;
    void emit_calls();
    void fail(call_fault why);
    void fail_before(char c, call_fault why);
    void emit_text(std::string_view text);
    void hold_space(char c);

    call_rules rules_;
    state state_ = state::text;
    /// Mark of the current call; nullptr if it has none.
    const call_mark* mark_ = nullptr;
    /// No output yet.
    bool is_start_ = true;
    bool is_after_call_ = false;
    std::size_t calls_read_ = 0;

    /// Pending white space; and after it a prefix of a mark, or a mark and the text after it.
    std::string space_;
    std::string held_;
    /// Offsets in `held_` of the JSON and of its first string; 0 before that string begins.
    std::size_t json_at_ = 0;
    std::size_t first_key_at_ = 0;
    bool has_first_key_ = false;
    json_scanner scanner_;
    /// Parsed calls without a mark, which become text if anything other than a call follows.
    std::vector<tool_call> pending_;

    // Result of the current feed() or finish().
    text_and_calls out_;
};

}  // namespace tandem::gateway
