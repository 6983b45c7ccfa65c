#pragma once

#include "tandem/config.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tandem {
inline namespace v0 {

/// Describes a field of `config`. Validation, flags, configuration files, environment variables and
/// the documentation are generated from these descriptions.
struct field_info {
    const char* name;   ///< as in `config` and `generation_options`
    const char* group;  ///< "server", "slots", "chunks", "speech", "limits",
                        ///< "failures" or "generation"
    const char* value;  ///< placeholder that shows the unit: "MS", "N", "URL"
    const char* help;   ///< one line
    /// Bounds of numbers, and of durations in seconds; min itself is excluded if `open` is set.
    double min = 0;
    double max = 0;
    bool open = false;
    /// Whether the value must not be shown or logged.
    bool secret = false;
};

/// Calls `visit(const field_info&, field&)` for each field of generation options, in order.
template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, generation_options>
void for_each_field(Options& o, Visitor&& visit) {
    constexpr auto g = "generation";
    visit(field_info{"max_tokens", g, "N",
                     "maximum tokens of a reply (0: limited only by the context)", 0, 1e6},
          o.max_tokens);
    visit(field_info{"temperature", g, "X", "sampling temperature (0: always the likeliest token)",
                     0, 100},
          o.temperature);
    visit(field_info{"top_p", g, "P",
                     "sample only from the likeliest tokens with this total probability (1: off)",
                     0, 1, true},
          o.top_p);
    visit(field_info{"top_k", g, "N", "sample only from this many of the likeliest tokens (0: off)",
                     0, 1e6},
          o.top_k);
    visit(field_info{"min_p", g, "P",
                     "minimum probability of a token relative to the likeliest one (0: off)", 0, 1},
          o.min_p);
    visit(field_info{"repeat_penalty", g, "X", "divisor of the score of recent tokens (1: off)", 0,
                     10, true},
          o.repeat_penalty);
    visit(
        field_info{"repeat_last_n", g, "N",
                   "number of recent tokens for repeat_penalty (0: off, -1: the context)", -1, 1e6},
        o.repeat_last_n);
    visit(field_info{"presence_penalty", g, "X",
                     "subtracted from the score of recent tokens (0: off)", -2, 2},
          o.presence_penalty);
    visit(field_info{"frequency_penalty", g, "X",
                     "subtracted from the score for each recent use of a token (0: off)", -2, 2},
          o.frequency_penalty);
    visit(field_info{"seed", g, "N", "seed of the sampler (-1: a new one for each request)", -1,
                     4294967295.0},
          o.seed);
    visit(field_info{"stop", g, "TEXT", "end a reply before this text (may be repeated)", 0, 16},
          o.stop);
    visit(field_info{"grammar", g, "GBNF", "grammar that the reply must match"}, o.grammar);
    visit(field_info{"json_schema", g, "JSON", "JSON schema that the reply must match"},
          o.json_schema);
    visit(field_info{"tools", g, "JSON", "functions that the model may call"}, o.tools);
    visit(field_info{"tool_choice", g, "NAME",
                     "auto, none, required, or the function that the model must call"},
          o.tool_choice);
    visit(field_info{"parallel_tool_calls", g, "", "let a reply call several functions"},
          o.parallel_tool_calls);
}

}  // namespace v0
}  // namespace tandem

namespace tandem::detail {

template <class Config, class Visitor>
void for_each_server_field(Config& c, Visitor& visit) {
    visit(field_info{"url", "server", "URL", "URL of the server"}, c.server.url);
    visit(field_info{.name = "api_key",
                     .group = "server",
                     .value = "KEY",
                     .help = "API key of the server",
                     .secret = true},
          c.server.api_key);
    visit(field_info{"ca_file", "server", "FILE", "PEM file with the certificates to trust"},
          c.server.ca_file);
    visit(field_info{"ca_path", "server", "DIR", "folder with the certificates to trust"},
          c.server.ca_path);
    visit(field_info{.name = "proxy",
                     .group = "server",
                     .value = "URL",
                     .help = "proxy for requests (none: no proxy)",
                     .secret = true},
          c.server.proxy);
    visit(field_info{"slots", "slots", "N", "number of server slots to use (0: all)", 0, 1024},
          c.server.slots);
    visit(
        field_info{"reuse_guard", "slots", "TIME",
                   "minimum time between two uses of a slot (0: none; auto: by the server's build)",
                   0, 3600},
        c.server.reuse_guard);
    visit(field_info{"verify_cut", "slots", "",
                     "check that slots become idle after a cut, and do not use busy slots"},
          c.server.verify_cut);
    visit(field_info{"erase_after_cut", "slots", "",
                     "erase a slot's cache after each cut (old builds only)"},
          c.server.erase_after_cut);
}

template <class Config, class Visitor>
void for_each_chunk_field(Config& c, Visitor& visit) {
    visit(field_info{"pacing", "chunks", "MODE",
                     "when the next chunk is generated: auto, strict, warm, ahead or stream"},
          c.pacing.mode);
    visit(field_info{"ahead_speech", "chunks", "TIME",
                     "maximum speech that pacing auto generates in advance", 1, 600},
          c.pacing.ahead_speech);
    visit(field_info{"ahead_chunks", "chunks", "N",
                     "number of chunks that pacing ahead generates in advance", 1, 64},
          c.pacing.ahead_chunks);
    visit(field_info{"held_chunks_max", "chunks", "N",
                     "maximum undelivered chunks of pacing stream", 1, 1024},
          c.pacing.held_chunks_max);
    visit(field_info{"boundary_rule", "chunks", "RULE",
                     "rule that finds sentence ends: classic or spoken"},
          c.chunking.boundary_rule);
    visit(field_info{.name = "language",
                     .group = "chunks",
                     .value = "TAG",
                     .help = "language of the replies, such as en or de-AT (empty: by the script)"},
          c.chunking.language);
    visit(field_info{"first_chunk_min_tokens", "chunks", "N",
                     "minimum tokens before a sentence end ends the first chunk", 0, 10000},
          c.chunking.first_chunk_min_tokens);
    visit(field_info{"first_chunk_max_tokens", "chunks", "N",
                     "maximum tokens of the first chunk (0: same as chunk_max_tokens)", 0, 10000},
          c.chunking.first_chunk_max_tokens);
    visit(
        field_info{"chunk_max_tokens", "chunks", "N",
                   "maximum tokens of later chunks (0: limited only to 64 KiB of text)", 0, 10000},
        c.chunking.chunk_max_tokens);
    visit(field_info{"chunk_min_chars", "chunks", "N",
                     "join sentences shorter than this, except in the first chunk (0: off)", 0,
                     10000},
          c.chunking.chunk_min_chars);
    visit(field_info{"peek_hold", "chunks", "TIME", "how long a boundary waits for the next token",
                     0, 60},
          c.chunking.peek_hold);
    visit(field_info{"chunk_deadline", "chunks", "TIME",
                     "end a chunk at a clause or word this long after its first token (0: off)", 0,
                     3600},
          c.chunking.chunk_deadline);
    visit(field_info{"speech", "speech", "FORM", "form of the text to speak: exact or clean"},
          c.speech.form);
    visit(field_info{"speech_emoji", "speech", "HOW", "emoji in clean speech: removed or kept"},
          c.speech.emoji);
    visit(field_info{"speech_code", "speech", "HOW",
                     "code blocks in clean speech: skipped or spoken"},
          c.speech.code);
    visit(field_info{"speech_urls", "speech", "HOW", "web addresses in clean speech: kept or host"},
          c.speech.urls);
    visit(field_info{"speech_replace", "speech", "WORD=WORDS",
                     "speak a whole word as other words (may be repeated; none: no words)"},
          c.speech.replace);
    visit(field_info{"speech_marks", "speech", "HOW",
                     "marks for the voice, such as [laughs]: drop, keep or report"},
          c.speech.marks);
    visit(field_info{"speech_mark_tags", "speech", "TAG",
                     "tag of a mark for the voice, such as laughs (may be repeated)", 0,
                     max_speech_words},
          c.speech.mark_tags);
    visit(field_info{"reasoning_tags", "speech", "'OPEN CLOSE'",
                     "marks around text that is not in chunks (may be repeated; none: no marks)", 0,
                     32},
          c.speech.reasoning_tags);
    visit(
        field_info{"reasoning_limit", "speech", "TIME",
                   "close reasoning that lasts this long, so that speech begins (0: off)", 0, 3600},
        c.speech.reasoning_limit);
    visit(field_info{"reasoning_limit_tokens", "speech", "N",
                     "close reasoning that has this many tokens (0: off)", 0, 1e6},
          c.speech.reasoning_limit_tokens);
}

template <class Config, class Visitor>
void for_each_limit_field(Config& c, Visitor& visit) {
    visit(field_info{"connect_timeout", "limits", "TIME",
                     "time limit for a connection, including name lookup and TLS", 0.001, 3600},
          c.limits.connect_timeout);
    visit(field_info{"first_token_timeout", "limits", "TIME",
                     "time limit from a request to its first token", 0.001, 3600},
          c.limits.first_token_timeout);
    visit(field_info{"between_tokens_timeout", "limits", "TIME",
                     "time limit from one token to the next", 0.001, 3600},
          c.limits.between_tokens_timeout);
    visit(field_info{"continue_timeout", "limits", "TIME",
                     "time limit from a chunk to its continue", 0.001, 86400},
          c.limits.continue_timeout);
    visit(field_info{"request_timeout", "limits", "TIME",
                     "time limit for requests other than /completion", 0.001, 3600},
          c.limits.request_timeout);
    visit(field_info{"queue_timeout", "limits", "TIME",
                     "time limit for waiting for a slot, including the reuse guard", 0.001, 86400},
          c.limits.queue_timeout);
    visit(field_info{"queue_limit", "limits", "N", "maximum replies waiting for their first slot",
                     1, 1000000},
          c.limits.queue_limit);
    visit(field_info{"reply_timeout", "limits", "TIME", "time limit for a whole reply (0: none)", 0,
                     86400},
          c.limits.reply_timeout);
    visit(field_info{"retries", "failures", "N",
                     "maximum consecutive requests that break (0: no retry)", 0, 1000},
          c.failover.retries);
    visit(field_info{"resume_within", "failures", "TIME",
                     "time limit for resuming a reply after a server failure", 0.001, 3600},
          c.failover.resume_within);
    visit(field_info{"breaker_failures", "failures", "N",
                     "consecutive failures after which a server is not used for a while (0: off)",
                     0, 1000},
          c.failover.breaker_failures);
    visit(field_info{"breaker_pause", "failures", "TIME",
                     "how long a failing server is not used before the next try", 0.001, 3600},
          c.failover.breaker_pause);
}

}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// Calls `visit` for each field of a configuration; the fields of `generation` come last.
template <class Config, class Visitor>
requires std::is_same_v<std::remove_const_t<Config>, config>
void for_each_field(Config& c, Visitor&& visit) {
    detail::for_each_server_field(c, visit);
    detail::for_each_chunk_field(c, visit);
    detail::for_each_limit_field(c, visit);
    for_each_field(c.generation, visit);
}

/// Sets the field `name` from text: a duration as 250ms, 2s, 1m, 1h or plain seconds (`reuse_guard`
/// also as auto), a switch as true or false. A list gets one more entry: a string for `stop` and
/// `speech_mark_tags`, a pair of marks separated by white space for `reasoning_tags`, and
/// WORD=WORDS for `speech_replace`; "none" removes all pairs or words. On an error, returns its
/// description and changes nothing. check() checks the ranges.
std::optional<std::string> set_field(config& c, std::string_view name, std::string_view text);

/// The value of a field in the form that set_field() reads. The items of a list are separated by
/// commas. Empty if there is no such field. A secret that is set is shown as "***", and a URL is
/// shown without user name and password.
std::string field_text(const config& c, std::string_view name);

/// "250ms" → 250 ms; nullopt if `text` is not a duration, or is negative or out of range.
std::optional<duration> parse_duration(std::string_view text);

/// 250 ms → "250ms", 2 s → "2s", 1.5 s → "1500ms": in the form that parse_duration() reads.
std::string to_string(duration d);

/// The name of the value, as in files, flags and logs.
std::string_view to_string(pacing p) noexcept;
std::string_view to_string(boundary_rule r) noexcept;
std::string_view to_string(speech_form s) noexcept;
std::string_view to_string(emoji_speech s) noexcept;
std::string_view to_string(code_speech s) noexcept;
std::string_view to_string(url_speech s) noexcept;
std::string_view to_string(mark_speech s) noexcept;

}  // namespace v0
}  // namespace tandem
