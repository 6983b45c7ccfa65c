#pragma once

#include "tandem/duration.hpp"
#include "tandem/log.hpp"
#include "tandem/recording.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tandem {

/// When the next chunk is generated. In every mode a chunk is handed over only after the continue
/// of the one before, and the texts are the same at temperature 0, as far as the server's
/// arithmetic does not depend on how tokens are batched. docs/pacing.md has the figures, and more
/// on that.
enum class pacing {
    strict,  ///< nothing is requested before the continue of the chunk before
    warm,    ///< the same, and the slot that comes next is prefilled while the voice speaks
    ahead,   ///< up to `ahead_chunks` are generated early and held back
    stream,  ///< one request, uncut until `held_chunks_max` are held back
};

/// Which rule finds the ends of sentences.
enum class boundary_rule {
    classic,  ///< `[.!?]["')]*$` on the text without trailing space
    spoken,   ///< as a listener hears it: abbreviations, numbers, quotes, lists, other scripts
};

/// What `chunk::speech` is.
enum class speech_form {
    exact,  ///< the same as `chunk::text`
    clean,  ///< made speakable: without Markdown, HTML, and what the fields below leave out
};

/// What cleaned speech does with emoji.
enum class emoji_speech {
    removed,
    kept,
};

/// What cleaned speech does with blocks of code.
enum class code_speech {
    skipped,
    spoken,
};

/// What cleaned speech does with web addresses in the text. The target of a link is never spoken.
enum class url_speech {
    kept,
    host,  ///< `https://www.example.com/page` becomes `example.com`
};

/// The marks around text that the model writes for itself and that is not spoken.
struct tag_pair {
    std::string open{};   ///< begins it, as `<think>` does
    std::string close{};  ///< ends it

    friend bool operator==(const tag_pair&, const tag_pair&) = default;
};

/// The marks that models in use put around their reasoning.
std::vector<tag_pair> default_reasoning_tags();

/// Bounds of adapters: of a list, of an id, of a scale's size.
inline constexpr std::size_t max_adapters = 64;
inline constexpr int max_adapter_id = 1023;
inline constexpr double max_adapter_scale = 100;

/// How much one of the server's LoRA adapters counts.
struct adapter_scale {
    /// As the server numbers those of its `--lora`, from 0 on. 0 to max_adapter_id.
    int id = 0;
    /// 0 = not at all, 1 = as it was trained. At most max_adapter_scale, or as much below 0.
    double scale = 1.0;

    friend bool operator==(const adapter_scale&, const adapter_scale&) = default;
};

/// Whose replies go first where several wait for a slot, in this order.
enum class reply_priority { high, normal, low };

/// How text is generated; sent to the server as the fields of the same names. A sampling field that
/// a reply leaves unset is that of `config::generation`. One that is unset there too has the value
/// of a `client` that is given here; a `service` does not send it, so that the server's own setting
/// holds.
struct generation_options {
    /// Tokens of the whole reply at most; 0 = no bound but the context. 0 to 1,000,000.
    int max_tokens = 0;
    /// 0 = always the likeliest token. 0 to 100. Client: 0.
    std::optional<double> temperature{};
    /// Only the likeliest tokens that together have this probability; 1 = off. Over 0, to 1.
    /// Client: 0.95.
    std::optional<double> top_p{};
    /// Only this many of the likeliest tokens; 0 = off. 0 to 1,000,000. Client: 40.
    std::optional<int> top_k{};
    /// Only tokens with this share of the likeliest one's probability; 0 = off. 0 to 1.
    /// Client: 0.05.
    std::optional<double> min_p{};
    /// Divides the score of tokens seen lately; 1 = off. Over 0, to 10. Client: 1.1.
    std::optional<double> repeat_penalty{};
    /// How many tokens back `repeat_penalty` looks; 0 = off, -1 = the context. -1 to 1,000,000.
    /// Client: 64.
    std::optional<int> repeat_last_n{};
    /// Taken from the score of tokens seen lately; 0 = off. -2 to 2. Client: 0.
    std::optional<double> presence_penalty{};
    /// The same for each time a token was seen; 0 = off. -2 to 2. Client: 0.
    std::optional<double> frequency_penalty{};
    /// Seed of the sampler; -1 = a new one for each request. -1 to 4,294,967,295. A client has none
    /// of its own either.
    std::optional<std::int64_t> seed{};
    /// The server's LoRA adapters: those that are not in the list do not count. Empty = as the
    /// server is set. At most 64, each once. To go without any, give one with scale 0: the server
    /// does not see an empty list, and would use what its slot holds of other adapters.
    std::vector<adapter_scale> lora{};
    /// The reply ends before the first of these; at most 16, none empty, 256 bytes each.
    std::vector<std::string> stop{};

    // Each of these makes the reply one uncut request, as a second one would not know how far the
    // grammar has come; chunks are handed over at their pace all the same. Such a reply does not go
    // on after a failure once text has come. 64 KiB each, valid UTF-8.
    /// What the text must match, in llama.cpp's GBNF; empty = anything.
    std::string grammar{};
    /// The same as a JSON schema, which the server makes a grammar of. Not both.
    std::string json_schema{};
    /// Functions that the model may call: a JSON list as for OpenAI's `tools`, for the chat
    /// template of a conversation. The model writes calls into its text, as its template has them.
    std::string tools{};

    // Not fields of files and flags: JSON objects whose members go along with requests. check()
    // knows their names and values. 64 KiB each, valid UTF-8; empty = none.
    /// Further sampling fields of /completion, as llama-server has them: `logit_bias`, `samplers`,
    /// `ignore_eos`, `typical_p`, `top_n_sigma`, `dry_…`, `dynatemp_…`, `mirostat…`, `xtc_…`.
    std::string sampling{};
    /// What a conversation's chat template gets besides messages and tools: `chat_template_kwargs`,
    /// `reasoning_effort`.
    std::string template_options{};

    /// Not a field of files and flags: requests of the same kind (first ones of replies, later
    /// ones) are served by it. Low ones may wait for as long as `queue_timeout`.
    reply_priority priority = reply_priority::normal;

    /// Not a field of files and flags: W3C's `traceparent`, a header of the requests that generate
    /// the reply, as it is given here. Well-formed, or empty = none.
    std::string traceparent{};
};

/// In which pieces a reply is streamed to a reader.
enum class stream_by {
    chunk,  ///< sentences, as a voice gets them
    token,  ///< what the server sends at once: a token, or some that make up a character
};

/// Whether a reply with these options is one uncut request.
bool is_constrained(const generation_options& o) noexcept;

/// For `config::reuse_guard`: as the server's build allows. No time that can be set.
inline constexpr duration auto_guard{-1};

/// Everything that can be set. docs/configuration.md has the same list with the reasons. Flags of
/// the `tandem` command, keys of its JSON file and `TANDEM_*` variables have the same names.
struct config {
    /// Where the server is: http://host:port or https://host:port, with a path if it has a prefix.
    std::string url = "http://127.0.0.1:8080";
    /// Sent as `Authorization: Bearer …`; empty = none. Never logged.
    std::string api_key{};
    /// PEM file with the certificates to trust in place of the system's; empty = the system's.
    std::string ca_file{};
    /// Folder of such certificates, as `openssl rehash` prepares it; empty = the system's.
    std::string ca_path{};
    /// Proxy URL; empty = what `http_proxy`, `https_proxy` and `no_proxy` say, "none" = no proxy.
    std::string proxy{};

    /// Slots of the server to use, from slot 0 on; fewer if the server has fewer. 0 to 1024; 0 =
    /// all that it has. Unset: as others in the process use the server; a `client` alone uses 2, a
    /// `service` all.
    std::optional<int> slots{};
    /// Shortest time between two uses of one slot; 0 = none. 0 to 1 h. `auto_guard` = none where
    /// the server's build is known to need none, else, and until the server has told, 2 s. Unset:
    /// as others in the process use the server; 2 s for a `client` alone, `auto_guard` for a
    /// `service`.
    std::optional<duration> reuse_guard{};
    /// Watch with GET /slots that the server lets go of a slot after a cut. How long that took is
    /// in the metrics; a slot that stays busy is set aside until it is idle.
    bool verify_cut = false;
    /// Erase a slot's cache after each cut; for old builds only, needs `--slot-save-path`.
    bool erase_after_cut = false;

    /// When the next chunk is generated; see docs/pacing.md.
    tandem::pacing pacing = tandem::pacing::warm;
    /// Chunks that `ahead` generates before their turn. 1 to 64.
    int ahead_chunks = 1;
    /// Chunks that `stream` holds back at most; generation goes on when half of them were spoken.
    /// 1 to 1024.
    int held_chunks_max = 16;
    /// What counts as the end of a sentence; see docs/sentences.md.
    tandem::boundary_rule boundary_rule = tandem::boundary_rule::spoken;
    /// Language of the replies, for `spoken`: a BCP 47 tag like "en" or "de-AT"; empty = the script
    /// of the text decides, and Latin letters are read as English.
    std::string language{};
    /// A sentence ends the first chunk only when this many tokens were read. 0 to 10,000.
    int first_chunk_min_tokens = 10;
    /// The first chunk ends here at the latest; 0 = as `chunk_max_tokens`. 0 to 10,000.
    int first_chunk_max_tokens = 24;
    /// Later chunks end here at the latest; 0 = no bound but 64 KiB of text. 0 to 10,000.
    int chunk_max_tokens = 96;
    /// A sentence ends a chunk, but not the first one, only when it has this many characters:
    /// shorter sentences are joined up. 0 = off. 0 to 10,000.
    int chunk_min_chars = 0;
    /// How long a boundary waits for the token after it. 0 = not at all. 0 to 1 min.
    duration peek_hold = std::chrono::milliseconds(250);
    /// Where no sentence ended this long after a chunk's first token, and nothing is spoken, the
    /// chunk ends behind its last clause, else before its last word. 0 = off. 0 to 1 h.
    duration chunk_deadline{};

    /// What `chunk::speech` is; `chunk::text` is the exact text whatever is set here.
    speech_form speech = speech_form::clean;
    /// What clean speech does with emoji, blocks of code, and web addresses.
    emoji_speech speech_emoji = emoji_speech::removed;
    code_speech speech_code = code_speech::skipped;
    url_speech speech_urls = url_speech::kept;
    /// Text from an opening mark to its closing mark is no part of any chunk, also where the prompt
    /// ends with the opening mark. Empty = all text is. At most 32 pairs of texts of 1 to 64 bytes.
    std::vector<tag_pair> reasoning_tags = default_reasoning_tags();

    /// Limits of waiting. 1 ms to 1 h each; `continue_timeout` and `queue_timeout` to 24 h.
    duration connect_timeout = std::chrono::seconds(5);
    /// From the request to its first token: queueing and prompt processing.
    duration first_token_timeout = std::chrono::seconds(60);
    /// From one token to the next.
    duration between_tokens_timeout = std::chrono::seconds(10);
    /// From the hand-over of a chunk to its continue.
    duration continue_timeout = std::chrono::seconds(30);
    /// Calls other than /completion, from start to end.
    duration request_timeout = std::chrono::seconds(10);
    /// A request waits for a slot so long at most: for other replies, and for the guard, which must
    /// be shorter.
    duration queue_timeout = std::chrono::seconds(30);
    /// Replies that wait for their first slot at most; one more is refused. 1 to 1,000,000.
    int queue_limit = 1024;
    /// The whole reply, from its start to its end, the voice's time included. 0 = no limit. 0 to
    /// 24 h.
    duration reply_timeout = std::chrono::minutes(30);

    /// A reply whose server fails goes on from the text so far, there or at another server of the
    /// service, unless so many requests in a row break off without new text. 0 = it never goes on,
    /// and no reply waits for a server that is away. 0 to 1000.
    int retries = 3;
    /// The listener's patience: the reply must go on so soon after the failure, while nothing is
    /// spoken. A server that is away, or loads its model, is waited for so long, too. 1 ms to 1 h.
    duration resume_within = std::chrono::seconds(3);
    /// After so many requests in a row that broke off, the server gets none for `breaker_pause`,
    /// then one, which decides; where that fails, the pause comes again. 0 = off. 0 to 1000; the
    /// pause 1 ms to 1 h.
    int breaker_failures = 5;
    duration breaker_pause = std::chrono::seconds(1);

    /// For replies that bring no options of their own; its sampling also for what those that do
    /// leave unset.
    generation_options generation{};

    // Not fields of files and flags:
    /// Where log lines go.
    tandem::logger logger{};
    /// Keeps what goes between tandem and the servers; nothing if it is null.
    std::shared_ptr<recorder> record{};
    /// Answers in place of the servers; nothing if it is null.
    std::shared_ptr<recording> play{};
};

/// One fault of a configuration: the field's name, and what is wrong with its value.
struct config_fault {
    std::string field;    ///< as in `field_info::name`, or the path of a value
    std::string message;  ///< what is wrong, with the value and what it may be
};

/// All faults of `c`; empty if it can be used. Never throws but for lack of memory.
std::vector<config_fault> check(const config& c);

/// The same for the options of one reply.
std::vector<config_fault> check(const generation_options& o);

/// Thrown by the constructor of `client`; what() names every fault, one a line.
class config_error : public std::invalid_argument {
 public:
    /// Of at least one fault, as check() gives them.
    explicit config_error(std::vector<config_fault> faults);
    /// The same faults one by one, for programs.
    const std::vector<config_fault>& faults() const noexcept { return faults_; }

 private:
    std::vector<config_fault> faults_;
};

}  // namespace tandem
