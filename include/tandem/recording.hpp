#pragma once

#include "tandem/error.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

namespace detail {
class traffic_writer;
class playback;
struct recording_access;
}  // namespace detail

/// What a recorder keeps.
struct recorder_options {
    /// False: prompts, messages and what they are made of (ids) are left out, also of what servers
    /// answer, and only their lengths are kept. The text of replies is always there.
    bool prompts = true;
    /// What the lines may have in all, but for the first one and the last: what comes then is not
    /// kept, and a last line says so.
    std::size_t max_bytes = std::size_t{256} << 20;
};

/// Keeps what goes between tandem and its servers, as lines of JSON: each request, and each piece
/// of its answer as it came, with times in ms since the recorder was made. Keys and headers are
/// never kept, nor is a password in a server's URL. See docs/recording.md for the lines.
///
/// Give it to config::record. Clients and services may share one.
/// Thread-safety: all functions may be called from any thread.
/// Lifetime: clients keep it alive.
class recorder {
 public:
    /// Gets one line at a time, without its '\n', on the thread on which something went over the
    /// wire, and with a lock held: it should only write it away. What it throws is swallowed, and
    /// ends the recording: it gets no more lines. It may be called until the execution contexts of
    /// all clients are gone.
    using sink = std::function<void(std::string_view line)>;

    /// The first line is written at once.
    explicit recorder(sink to, recorder_options options = {});
    ~recorder();

    /// Adds a line of the caller's own, such as the settings: any JSON. One that is no JSON is left
    /// out.
    void note(std::string_view json);

 private:
    friend detail::recording_access;
    std::shared_ptr<detail::traffic_writer> writer_;
};

/// What a recorder kept, to be played: a client or service with this in config::play asks no server
/// but the recording, which answers as the servers did, at the same pace and with the same
/// failures. With the same settings and pace of the voice the chunks are the same; with others the
/// reply's text is the same, and divided anew.
///
/// A reply is the next one with its prompt; without one, that whose prompt is the most like it, and
/// where prompts were left out the next one. A reply that the recording does not have, or that goes
/// on behind its recorded text, fails with bad_request; another request without an answer with
/// not_supported.
/// Thread-safety and lifetime: as of a recorder. A recording is played once; read it anew.
class recording {
 public:
    /// What is known of a reply before it is played.
    struct reply {
        /// The first request's; empty if it was left out, or is made of ids.
        std::string prompt{};
        /// The first one's, as it may be shown.
        std::string server{};
        /// Tokens that it asked for at most; -1 = no bound.
        int max_tokens = -1;
    };

    /// Reads the lines that a recorder wrote; a last line that is incomplete is left out. Null if
    /// there is a fault, with bad_response and the line in `diag`.
    static std::shared_ptr<recording> read(std::string_view lines, error_code& ec,
                                           diagnostics* diag = nullptr);
    ~recording();

    /// URLs, as they may be shown, in the order of the first requests. A client that plays is to
    /// have one of these.
    const std::vector<std::string>& servers() const noexcept;
    const std::vector<std::string>& notes() const noexcept;
    const std::vector<reply>& replies() const noexcept;
    bool has_prompts() const noexcept;
    /// The recorder's bound was reached: the end is missing.
    bool is_cut_short() const noexcept;
    /// It ends in the middle of a request or of a line: the program that wrote it was killed,
    /// perhaps. One that was killed between two requests leaves no sign.
    bool is_unfinished() const noexcept;

    /// So many times as fast as it was recorded, from the next piece of an answer on; 0 = without
    /// waiting.
    /// Waits between two tokens that are as long as `peek_hold` are kept as they were, since they
    /// decide what a chunk is. Precondition: not negative.
    void set_speed(double factor);

 private:
    friend detail::recording_access;
    recording();
    std::shared_ptr<detail::playback> playback_;
};

}  // namespace tandem
