#pragma once

#include "tandem/duration.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tandem {
inline namespace v0 {

/// When the next chunk is generated. In every mode, a chunk is delivered only after the continue of
/// the previous one, unless there is a `lookahead`. At temperature 0, the text is the same in all
/// modes, as far as the server's arithmetic allows. docs/pacing.md has details and figures.
enum class pacing {
    /// Named `auto`. Generates the next chunk early, and more, up to `ahead_speech`, while slots
    /// are idle. The reply whose listener has the least left to hear gets a slot first.
    automatic,
    strict,  ///< nothing is requested before the continue of the previous chunk
    warm,    ///< like `strict`, but prefills the next slot while the voice speaks
    ahead,   ///< up to `ahead_chunks` chunks are generated early and held back
    stream,  ///< one request, cut only when `held_chunks_max` chunks are held back
};

/// Rules for ends of sentences.
enum class boundary_rule {
    classic,  ///< where the text without trailing space matches `[.!?]["')]*$`
    spoken,   ///< as heard; considers abbreviations, numbers, quotes, lists and scripts
};

/// Form of `chunk::speech`.
enum class speech_form {
    exact,  ///< `chunk::text`, except for replaced words and dropped marks
    clean,  ///< speakable: without Markdown, HTML, and what `speech_config` removes
};

/// Emoji in clean speech.
enum class emoji_speech {
    removed,
    kept,
};

/// Code blocks in clean speech.
enum class code_speech {
    skipped,
    spoken,
};

/// URLs in clean speech. The target of a link is never spoken.
enum class url_speech {
    kept,
    host,  ///< `https://www.example.com/page` becomes `example.com`
};

/// Marks for the voice, such as `[laughs]`; see `speech_config::mark_tags`.
enum class mark_speech {
    drop,    ///< removed from the speech
    keep,    ///< left in the speech as the model wrote them
    report,  ///< removed from the speech, and listed in `chunk::marks`
};

/// Words and their replacements in the speech, such as "Dr." → "Doctor".
using speech_replacements = std::map<std::string, std::string, std::less<>>;

/// Bounds: the number of words or tags, the bytes of a word or tag, the bytes of a replacement.
inline constexpr std::size_t max_speech_words = 128;
inline constexpr std::size_t max_speech_word_bytes = 64;
inline constexpr std::size_t max_spoken_words_bytes = 256;

/// Marks around the model's reasoning, which is not spoken.
struct tag_pair {
    std::string open{};   ///< opening mark, such as `<think>`
    std::string close{};  ///< closing mark

    friend bool operator==(const tag_pair&, const tag_pair&) = default;
};

/// The marks of current models.
std::vector<tag_pair> default_reasoning_tags();

/// Bounds of adapters: the length of a list, an id, the absolute value of a scale.
inline constexpr std::size_t max_adapters = 64;
inline constexpr int max_adapter_id = 1023;
inline constexpr double max_adapter_scale = 100;

/// The scale of one of the server's LoRA adapters.
struct adapter_scale {
    /// The server's number for the adapter, in the order of its `--lora`: 0 to max_adapter_id.
    int id = 0;
    /// 0 = off, 1 = as trained. From -max_adapter_scale to max_adapter_scale.
    double scale = 1.0;

    friend bool operator==(const adapter_scale&, const adapter_scale&) = default;
};

/// Which waiting reply gets a slot first. A `high` reply counts as due half a second before it is,
/// and a `low` reply as due half a second later.
enum class reply_priority { high, normal, low };

/// Settings of one reply that replace those of the configuration. Members are named as in
/// field_info; an unset member changes nothing.
struct delivery_options {
    std::optional<tandem::pacing> pacing{};
    std::optional<std::string> language{};
    /// Form of `chunk::speech`.
    std::optional<speech_form> speech{};
    /// A list of words or tags replaces the configuration's list as a whole.
    std::optional<speech_replacements> speech_replace{};
    std::optional<mark_speech> speech_marks{};
    std::optional<std::vector<std::string>> speech_mark_tags{};
    /// If these two limits conflict and only one is set here, the other one is adjusted.
    std::optional<int> first_chunk_min_tokens{};
    std::optional<int> first_chunk_max_tokens{};
    std::optional<int> chunk_max_tokens{};
    std::optional<int> chunk_min_chars{};
    std::optional<duration> peek_hold{};
    std::optional<duration> chunk_deadline{};
    std::optional<duration> reasoning_limit{};
    std::optional<int> reasoning_limit_tokens{};

    friend bool operator==(const delivery_options&, const delivery_options&) = default;
};

/// Options of generation, sent to the server under the same names. A sampling field that a reply
/// leaves unset comes from `config::generation`. If it is also unset there, a `client` sends the
/// value stated below, and a `service` sends nothing, so that the server's own setting holds.
struct generation_options {
    /// Token limit of the whole reply; 0 = limited only by the context. 0 to 1,000,000.
    int max_tokens = 0;
    /// 0 = always the likeliest token. 0 to 100. Client: 0.
    std::optional<double> temperature{};
    /// Samples from the likeliest tokens that together have this probability; 1 = off. Above 0, at
    /// most 1. Client: 0.95.
    std::optional<double> top_p{};
    /// Samples from this many of the likeliest tokens; 0 = off. 0 to 1,000,000. Client: 40.
    std::optional<int> top_k{};
    /// Samples from tokens with at least this share of the likeliest token's probability; 0 = off.
    /// 0 to 1. Client: 0.05.
    std::optional<double> min_p{};
    /// Penalty for recent tokens; 1 = off. Above 0, at most 10. Client: 1.1.
    std::optional<double> repeat_penalty{};
    /// How many tokens back `repeat_penalty` looks; 0 = off, -1 = the context. -1 to 1,000,000.
    /// Client: 64.
    std::optional<int> repeat_last_n{};
    /// Subtracted once from the score of each recent token; 0 = off. -2 to 2. Client: 0.
    std::optional<double> presence_penalty{};
    /// Subtracted from a token's score for each recent occurrence; 0 = off. -2 to 2. Client: 0.
    std::optional<double> frequency_penalty{};
    /// Seed of the sampler; -1 = a new seed for each request. -1 to 4,294,967,295. Client: none.
    std::optional<std::int64_t> seed{};
    /// Scales of the server's LoRA adapters; those that are not listed are off. Empty = the
    /// server's own scales. At most 64, each once. To use no adapter, list one with scale 0: the
    /// server ignores an empty list, and could reuse a cache made with other adapters.
    std::vector<adapter_scale> lora{};
    /// The reply ends before the first of these stop words. At most 16, of 1 to 256 bytes.
    std::vector<std::string> stop{};

    // A reply with a grammar or schema is one uncut request, because a second request would restart
    // the grammar; chunks are still delivered at their pace. Such a reply does not continue after a
    // failure once it has text. At most 64 KiB each, valid UTF-8.
    /// What the text must match, in llama.cpp's GBNF; empty = anything.
    std::string grammar{};
    /// JSON schema that the text must match; empty = anything. Set `grammar` or this, not both.
    std::string json_schema{};
    /// Functions that the model may call, as in OpenAI's `tools`, for the chat template of a
    /// conversation; see reply::async_tool_calls(). If the template does not show how a call
    /// begins, a paced reply fails with errc::not_supported, and the calls of a streamed reply
    /// (conversation::stream()) remain text.
    std::string tools{};
    /// Whether the model calls one of the `tools`: empty or "auto" = the model decides, "none" = it
    /// does not see the tools, "required" = it must call one, or the name of the function to call.
    /// A required call is generated as JSON under a schema, with any template, in one uncut request
    /// without other text. With `json_schema` and "auto", the reply is a call or matches the
    /// schema.
    std::string tool_choice{};
    /// Whether a reply may call several functions; if not, further calls are dropped.
    bool parallel_tool_calls = true;

    // JSON objects whose members are added to requests. Files and flags cannot set them. check()
    // validates names and values. At most 64 KiB each, valid UTF-8; empty = none.
    /// Further sampling fields of /completion: `logit_bias`, `samplers`, `ignore_eos`, `typical_p`,
    /// `top_n_sigma`, `dry_…`, `dynatemp_…`, `mirostat…`, `xtc_…`.
    std::string sampling{};
    /// Further fields for a conversation's chat template: `chat_template_kwargs`,
    /// `reasoning_effort`.
    std::string template_options{};

    /// Text for only this turn of a conversation, such as the time or retrieved documents. In the
    /// prompt, it precedes the words of the last user message; history does not keep it. Unlike a
    /// changed system prompt, it leaves the cache of everything before it valid. At most 64 KiB,
    /// valid UTF-8; empty = none. Files and flags cannot set it.
    std::string context{};

    /// How many chunks a voice may receive while it speaks an earlier one, so that it can
    /// synthesize them early; 0 to 8. The pacings `auto`, `ahead` and `stream` generate chunks that
    /// early. After an interrupt, these early chunks are considered unheard. With a lookahead, the
    /// reply ends only when its last chunk is continued. Files and flags cannot set it.
    int lookahead = 0;

    /// Settings that this reply replaces. Files and flags set the configuration itself.
    delivery_options delivery{};

    /// Which of the replies that wait for a slot gets it first. Files and flags cannot set it.
    reply_priority priority = reply_priority::normal;

    /// W3C `traceparent` header of the requests that generate the reply. Must be well-formed; empty
    /// = none. Files and flags cannot set it.
    std::string traceparent{};

    friend bool operator==(const generation_options&, const generation_options&) = default;
};

/// Unit of a reply that is streamed to a reader.
enum class stream_by {
    chunk,  ///< sentences, as for a voice
    token,  ///< one event of the server: a token, or several that form a character
};

/// Whether a reply with these options is a single uncut request.
bool is_constrained(const generation_options& o) noexcept;
/// Whether `tool_choice` requires a call.
bool must_call(const generation_options& o) noexcept;
/// Whether a schema for calls constrains a reply with these options: the reply is a call or, if no
/// call is required, JSON that matches `json_schema`.
bool uses_call_schema(const generation_options& o) noexcept;

/// For `server_config::reuse_guard`: the server's build determines the guard.
inline constexpr duration auto_guard{-1};

/// The server, and how its slots are used.
struct server_config {
    /// URL of the server: http://host:port or https://host:port, with any path prefix.
    std::string url = "http://127.0.0.1:8080";
    /// Sent as `Authorization: Bearer …`; empty = none. Never logged.
    std::string api_key{};
    /// PEM file with the certificates to trust instead of the system's; empty = the system's.
    std::string ca_file{};
    /// Folder of such certificates, as `openssl rehash` prepares it; empty = the system's.
    std::string ca_path{};
    /// Proxy URL; empty = `http_proxy`, `https_proxy` and `no_proxy` apply, "none" = no proxy.
    std::string proxy{};

    /// Slots to use, from slot 0; fewer if the server has fewer. 0 to 1024; 0 = all. Unset = as
    /// another client or service in the process set it, otherwise 2 (`client`) or all (`service`).
    std::optional<int> slots{};
    /// Shortest time between two uses of a slot; 0 = none. 0 to 1 h. `auto_guard` = none on builds
    /// that need none, 2 s on others. Unset = as for `slots`, otherwise 2 s (`client`) or
    /// `auto_guard` (`service`).
    std::optional<duration> reuse_guard{};
    /// Whether to check with GET /slots that cuts take effect. The metrics then show how long cuts
    /// take, and a slot that stays busy is not used until it is idle.
    bool verify_cut = false;
    /// Erases a slot's cache after each cut. Only for old builds; needs `--slot-save-path`.
    bool erase_after_cut = false;
};

/// When the next chunk is generated; see docs/pacing.md.
struct pacing_config {
    /// How far generation may be ahead of the voice. If unset, a `client` uses `warm`, and a
    /// `service` uses `auto`.
    std::optional<pacing> mode{};
    /// Chunks that `ahead` generates early. 1 to 64.
    int ahead_chunks = 1;
    /// `stream` cuts its request at this many undelivered chunks, and resumes at half. 1 to 1024.
    int held_chunks_max = 16;
    /// How much speech `auto` may generate ahead of the voice, estimated by the pace learned so
    /// far. An interrupt wastes at most this much. 1 s to 10 min.
    duration ahead_speech = std::chrono::seconds(8);
};

/// Where a chunk ends; see docs/sentences.md.
struct chunking_config {
    /// Rule for ends of sentences.
    tandem::boundary_rule boundary_rule = tandem::boundary_rule::spoken;
    /// Language of the replies, for `spoken`: a BCP 47 tag such as "en" or "de-AT"; empty = the
    /// script of the text decides, and Latin letters are read as English.
    std::string language{};
    /// The first chunk ends at a sentence end only after this many tokens. 0 to 10,000.
    int first_chunk_min_tokens = 10;
    /// Maximum tokens of the first chunk; 0 = as `chunk_max_tokens`. 0 to 10,000.
    int first_chunk_max_tokens = 24;
    /// Maximum tokens of later chunks; 0 = limited only to 64 KiB of text. 0 to 10,000.
    int chunk_max_tokens = 96;
    /// Later chunks end at a sentence end only if they have at least this many characters: shorter
    /// sentences are joined. 0 = off. 0 to 10,000.
    int chunk_min_chars = 0;
    /// Longest wait for the token that decides about a possible chunk end; 0 = none. 0 to 1 min.
    duration peek_hold = std::chrono::milliseconds(250);
    /// If a chunk has no sentence end this long after its first token, and nothing is being spoken,
    /// it ends after its last clause or, without one, before its last word. 0 = off. 0 to 1 h.
    duration chunk_deadline{};
};

/// What `chunk::speech` contains. `chunk::text` is always the exact text.
struct speech_config {
    /// The text as it is, or made speakable.
    speech_form form = speech_form::clean;
    /// Emoji, code blocks and URLs in clean speech.
    emoji_speech emoji = emoji_speech::removed;
    code_speech code = code_speech::skipped;
    url_speech urls = url_speech::kept;
    /// Whole words to replace in exact and clean speech. Case matters. If several words match at
    /// one place, the longest is replaced. At most 128 words of 1 to 64 bytes; each replacement has
    /// 1 to 256 bytes, and neither starts nor ends with white space.
    speech_replacements replace{};
    /// How marks for the voice are treated in exact and clean speech. Marks are these tags as
    /// `[tag]`, `<tag>`, `(tag)` or `*tag*`; see docs/sentences.md. At most 128 tags of 1 to 64
    /// letters, digits, `-`, `_` and single spaces.
    mark_speech marks = mark_speech::drop;
    std::vector<std::string> mark_tags{};
    /// Chunks omit the text from an opening mark, which may be the end of the prompt, to its
    /// closing mark. Empty = all text is in chunks. At most 32 pairs of marks of 1 to 64 bytes.
    std::vector<tag_pair> reasoning_tags = default_reasoning_tags();
    /// Longest reasoning, in time and in tokens; 0 = no limit. At a limit, the closing mark is
    /// added, and the reply continues after it. With either limit, reasoning also ends after half
    /// of `max_tokens`, to leave the rest for speech. 0 to 1 h; 0 to 1,000,000.
    duration reasoning_limit{};
    int reasoning_limit_tokens = 0;
};

/// Time limits, each 1 ms to 1 h unless stated otherwise, and the length of the queue.
struct limits_config {
    /// To connect, including name lookup and TLS.
    duration connect_timeout = std::chrono::seconds(5);
    /// From a request to its first token: queueing and prompt evaluation.
    duration first_token_timeout = std::chrono::seconds(60);
    /// From one token to the next.
    duration between_tokens_timeout = std::chrono::seconds(10);
    /// From the delivery of a chunk to its continue. Up to 24 h.
    duration continue_timeout = std::chrono::seconds(30);
    /// Requests other than /completion.
    duration request_timeout = std::chrono::seconds(10);
    /// A request's wait for a slot, including the guard; the guard must be shorter. Up to 24 h.
    duration queue_timeout = std::chrono::seconds(30);
    /// A whole reply, including the time in which it is spoken. 0 = none. 0 to 24 h.
    duration reply_timeout = std::chrono::minutes(30);
    /// How many replies may wait for their first slot; further ones are refused. 1 to 1,000,000.
    int queue_limit = 1024;
};

/// Behavior after a server failure; see docs/failures.md.
struct failover_config {
    /// If a server fails, the reply continues there or on another server of the service, until more
    /// than this many consecutive requests break without new text. With 0, the reply never
    /// continues, and does not wait for a server that is down. 0 to 1000.
    int retries = 3;
    /// Longest time from a failure to the next request, not counting time in which a chunk is
    /// spoken. Also limits the wait for a server that is down or loading. 1 ms to 1 h.
    duration resume_within = std::chrono::seconds(3);
    /// After this many consecutive broken requests, a server gets none for `breaker_pause`; then
    /// one trial request decides if it is used again. 0 = off. 0 to 1000; the pause: 1 ms to 1 h.
    int breaker_failures = 5;
    duration breaker_pause = std::chrono::seconds(1);
};

/// Configuration of a client. docs/configuration.md explains each field, its flag of the `tandem`
/// command, its key in the JSON file and its `TANDEM_*` variable.
struct config {
    server_config server{};
    pacing_config pacing{};
    chunking_config chunking{};
    speech_config speech{};
    limits_config limits{};
    failover_config failover{};
    /// Options of replies started without options; sampling fields that other replies leave unset.
    generation_options generation{};
};

/// An error in a configuration.
struct config_fault {
    std::string field;    ///< as in `field_info::name`, or the path of a value
    std::string message;  ///< the error, with the value and the valid range
};

/// All errors of `c`; empty if it is valid. Throws only std::bad_alloc.
std::vector<config_fault> check(const config& c);

/// All errors of the options of a reply.
std::vector<config_fault> check(const generation_options& o);

/// Thrown by constructors; what() lists every error, one per line.
class config_error : public std::invalid_argument {
 public:
    /// `faults` is the result of check(), and not empty.
    explicit config_error(std::vector<config_fault> faults);
    /// The errors, for programs.
    const std::vector<config_fault>& faults() const noexcept { return faults_; }

 private:
    std::vector<config_fault> faults_;
};

}  // namespace v0
}  // namespace tandem
