#pragma once

#include "tandem/config.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tandem {

/// What is known about a field of `config` besides its value: the one table that checks, flags,
/// files, environment variables and documents are made from.
struct field_info {
    const char* name;   ///< as in `config` and `generation_options`
    const char* group;  ///< "server", "slots", "chunks", "speech", "limits",
                        ///< "failures" or "generation"
    const char* value;  ///< placeholder that shows the unit: "MS", "N", "URL"
    const char* help;   ///< one line
    /// Bounds of numbers, and of durations in seconds; min itself is excluded where `open` is set.
    double min = 0;
    double max = 0;
    bool open = false;
    /// Must not be shown or logged.
    bool secret = false;
};

/// Calls `visit(const field_info&, field&)` for each field of generation options, in order.
template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, generation_options>
void for_each_field(Options& o, Visitor&& visit) {
    constexpr auto g = "generation";
    visit(field_info{"max_tokens", g, "N",
                     "tokens of a reply at most (0: no bound but the context)", 0, 1e6},
          o.max_tokens);
    visit(field_info{"temperature", g, "X", "0: always the likeliest token", 0, 100},
          o.temperature);
    visit(field_info{"top_p", g, "P",
                     "only the likeliest tokens of this probability together (1: off)", 0, 1, true},
          o.top_p);
    visit(field_info{"top_k", g, "N", "only this many of the likeliest tokens (0: off)", 0, 1e6},
          o.top_k);
    visit(
        field_info{"min_p", g, "P",
                   "only tokens with this share of the likeliest one's probability (0: off)", 0, 1},
        o.min_p);
    visit(field_info{"repeat_penalty", g, "X", "divides the score of tokens seen lately (1: off)",
                     0, 10, true},
          o.repeat_penalty);
    visit(
        field_info{"repeat_last_n", g, "N",
                   "how many tokens back repeat_penalty looks (0: off, -1: the context)", -1, 1e6},
        o.repeat_last_n);
    visit(field_info{"presence_penalty", g, "X",
                     "taken from the score of tokens seen lately (0: off)", -2, 2},
          o.presence_penalty);
    visit(field_info{"frequency_penalty", g, "X",
                     "the same for each time a token was seen (0: off)", -2, 2},
          o.frequency_penalty);
    visit(field_info{"seed", g, "N", "seed of the sampler (-1: a new one each request)", -1,
                     4294967295.0},
          o.seed);
    visit(field_info{"stop", g, "TEXT", "a reply ends before this text (may be repeated)", 0, 16},
          o.stop);
    visit(field_info{"grammar", g, "GBNF", "what the text must match"}, o.grammar);
    visit(field_info{"json_schema", g, "JSON", "the same as a JSON schema"}, o.json_schema);
    visit(field_info{"tools", g, "JSON", "functions that the model may call"}, o.tools);
}

namespace detail {

template <class Config, class Visitor>
void for_each_server_field(Config& c, Visitor& visit) {
    visit(field_info{"url", "server", "URL", "where the server is"}, c.url);
    visit(field_info{.name = "api_key",
                     .group = "server",
                     .value = "KEY",
                     .help = "key that the server wants",
                     .secret = true},
          c.api_key);
    visit(field_info{"ca_file", "server", "FILE", "PEM file with the certificates to trust"},
          c.ca_file);
    visit(field_info{"ca_path", "server", "DIR", "folder with the certificates to trust"},
          c.ca_path);
    visit(field_info{.name = "proxy",
                     .group = "server",
                     .value = "URL",
                     .help = "proxy to go through (none: no proxy)",
                     .secret = true},
          c.proxy);
    visit(field_info{"slots", "slots", "N", "slots of the server to use (0: all that it has)", 0,
                     1024},
          c.slots);
    visit(field_info{"reuse_guard", "slots", "TIME",
                     "shortest time between two uses of a slot (0: none; auto: as the server's "
                     "build allows)",
                     0, 3600},
          c.reuse_guard);
    visit(field_info{"verify_cut", "slots", "",
                     "watch that slots get idle after a cut, and set aside those that do not"},
          c.verify_cut);
    visit(field_info{"erase_after_cut", "slots", "",
                     "erase a slot's cache after each cut (old builds only)"},
          c.erase_after_cut);
}

template <class Config, class Visitor>
void for_each_chunk_field(Config& c, Visitor& visit) {
    visit(field_info{"pacing", "chunks", "MODE",
                     "when the next chunk is generated: strict, warm, ahead or stream"},
          c.pacing);
    visit(field_info{"ahead_chunks", "chunks", "N", "chunks that ahead generates before their turn",
                     1, 64},
          c.ahead_chunks);
    visit(field_info{"held_chunks_max", "chunks", "N", "chunks that stream holds back at most", 1,
                     1024},
          c.held_chunks_max);
    visit(field_info{"boundary_rule", "chunks", "RULE",
                     "which rule finds the ends of sentences: classic or spoken"},
          c.boundary_rule);
    visit(field_info{.name = "language",
                     .group = "chunks",
                     .value = "TAG",
                     .help = "language of the replies, as in en or de-AT (empty: by script)"},
          c.language);
    visit(field_info{"first_chunk_min_tokens", "chunks", "N",
                     "a sentence ends the first chunk only after this many tokens", 0, 10000},
          c.first_chunk_min_tokens);
    visit(field_info{"first_chunk_max_tokens", "chunks", "N",
                     "the first chunk ends here at the latest (0: as chunk_max_tokens)", 0, 10000},
          c.first_chunk_max_tokens);
    visit(field_info{"chunk_max_tokens", "chunks", "N",
                     "later chunks end here at the latest (0: no bound but 64 KiB)", 0, 10000},
          c.chunk_max_tokens);
    visit(field_info{"chunk_min_chars", "chunks", "N",
                     "join sentences shorter than this, but never in the first chunk (0: off)", 0,
                     10000},
          c.chunk_min_chars);
    visit(field_info{"peek_hold", "chunks", "TIME",
                     "how long a boundary waits for the token after it", 0, 60},
          c.peek_hold);
    visit(field_info{"chunk_deadline", "chunks", "TIME",
                     "a clause or word ends a chunk this long after its first token (0: off)", 0,
                     3600},
          c.chunk_deadline);
    visit(field_info{"speech", "speech", "FORM", "what a chunk's speech is: exact or clean"},
          c.speech);
    visit(field_info{"speech_emoji", "speech", "HOW", "emoji in clean speech: removed or kept"},
          c.speech_emoji);
    visit(field_info{"speech_code", "speech", "HOW",
                     "blocks of code in clean speech: skipped or spoken"},
          c.speech_code);
    visit(field_info{"speech_urls", "speech", "HOW", "web addresses in clean speech: kept or host"},
          c.speech_urls);
    visit(field_info{"reasoning_tags", "speech", "'OPEN CLOSE'",
                     "text between these is no part of a chunk (may be repeated; none: all is)", 0,
                     32},
          c.reasoning_tags);
}

template <class Config, class Visitor>
void for_each_limit_field(Config& c, Visitor& visit) {
    visit(
        field_info{"connect_timeout", "limits", "TIME", "for the connection to be up", 0.001, 3600},
        c.connect_timeout);
    visit(field_info{"first_token_timeout", "limits", "TIME", "from a request to its first token",
                     0.001, 3600},
          c.first_token_timeout);
    visit(field_info{"between_tokens_timeout", "limits", "TIME", "from one token to the next",
                     0.001, 3600},
          c.between_tokens_timeout);
    visit(field_info{"continue_timeout", "limits", "TIME", "from a chunk to its continue", 0.001,
                     86400},
          c.continue_timeout);
    visit(field_info{"request_timeout", "limits", "TIME", "for calls other than /completion", 0.001,
                     3600},
          c.request_timeout);
    visit(field_info{"queue_timeout", "limits", "TIME", "for a slot, the guard included", 0.001,
                     86400},
          c.queue_timeout);
    visit(field_info{"queue_limit", "limits", "N", "replies that wait for their first slot at most",
                     1, 1000000},
          c.queue_limit);
    visit(
        field_info{"reply_timeout", "limits", "TIME", "for a whole reply (0: no limit)", 0, 86400},
        c.reply_timeout);
    visit(field_info{"retries", "failures", "N",
                     "requests in a row that may break off before a reply gives up (0: none)", 0,
                     1000},
          c.retries);
    visit(field_info{"resume_within", "failures", "TIME",
                     "so soon a reply must go on after its server failed", 0.001, 3600},
          c.resume_within);
    visit(
        field_info{"breaker_failures", "failures", "N",
                   "failed requests in a row after which a server is left alone (0: off)", 0, 1000},
        c.breaker_failures);
    visit(field_info{"breaker_pause", "failures", "TIME", "so long, before each try", 0.001,
                     3600},
          c.breaker_pause);
}

}  // namespace detail

/// The same for each field of a configuration, those of `generation` last.
template <class Config, class Visitor>
requires std::is_same_v<std::remove_const_t<Config>, config>
void for_each_field(Config& c, Visitor&& visit) {
    detail::for_each_server_field(c, visit);
    detail::for_each_chunk_field(c, visit);
    detail::for_each_limit_field(c, visit);
    for_each_field(c.generation, visit);
}

/// Sets the field `name` from text as people write it: durations as 250ms, 2s, 1m, 1h or plain
/// seconds (`reuse_guard` also as auto), switches as true or false; `stop` adds one text, and
/// `reasoning_tags` one pair, parted by white space, or takes all away with "none". Returns what is
/// wrong, and then changes nothing; ranges are checked by check().
std::optional<std::string> set_field(config& c, std::string_view name, std::string_view text);

/// A field's value as set_field() reads it, lists with commas between their items; empty for a name
/// that is none. Secrets give "***" where they are set, and the URL comes without user and
/// password.
std::string field_text(const config& c, std::string_view name);

/// "250ms" → 250 ms; nothing if `text` is not a duration, is negative, or too long to count.
std::optional<duration> parse_duration(std::string_view text);

/// 250 ms → "250ms", 2 s → "2s", 1.5 s → "1500ms": in the form that parse_duration() reads.
std::string to_string(duration d);

/// Its name, as in files, flags and logs.
std::string_view to_string(pacing p) noexcept;
std::string_view to_string(boundary_rule r) noexcept;
std::string_view to_string(speech_form s) noexcept;
std::string_view to_string(emoji_speech s) noexcept;
std::string_view to_string(code_speech s) noexcept;
std::string_view to_string(url_speech s) noexcept;

}  // namespace tandem
