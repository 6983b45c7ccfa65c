#pragma once

#include "tandem/error.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {
class traffic_writer;
class playback;
struct recording_access;
}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// Options of a recorder.
struct recorder_options {
    /// If false, prompts, messages and their token ids are omitted from requests, and placeholders
    /// of the same length replace them in the answers of servers. The text of replies is always
    /// recorded.
    bool prompts = true;
    /// Limit in bytes for all lines except the first and the last one. Beyond this limit, lines are
    /// dropped, and the last line reports that.
    std::size_t max_bytes = std::size_t{256} << 20;
};

/// Records the traffic between tandem and its servers as lines of JSON: each request, and each
/// piece of its answer, with times in ms since the recorder was created. Keys, headers and
/// passwords in URLs are never recorded. docs/recording.md describes the lines.
///
/// Pass the recorder as instruments::record. Several clients and services may share it.
///
/// Thread safety: all functions may be called from any thread.
///
/// Object lifetimes: clients keep the recorder alive.
class recorder {
 public:
    /// Receives one line at a time, without its '\n', on the thread of the traffic and with a lock
    /// held: it should only write the line. An exception from the sink is swallowed and ends the
    /// recording. The sink may be called until the execution contexts of all clients are destroyed.
    using sink = std::function<void(std::string_view line)>;

    /// Writes the first line immediately.
    explicit recorder(sink to, recorder_options options = {});
    ~recorder();

    /// Adds a note, such as the settings, as JSON. Invalid JSON is dropped.
    void note(std::string_view json);

 private:
    friend detail::recording_access;
    std::shared_ptr<detail::traffic_writer> writer_;
};

/// A recording to play: a client or service with this recording as instruments::play sends nothing
/// to a server. The recording answers as the servers did, at the same pace and with the same
/// failures. With the recorded settings and pace of the voice, the chunks are those recorded;
/// otherwise, the same text is divided into chunks anew.
///
/// A live reply gets the next recorded reply to its prompt or, if that prompt was not recorded, to
/// the most similar prompt. If the recording has no prompts, it gets the next recorded reply. If
/// none is left, it fails with bad_request. Requests other than /completion that were not recorded
/// fail with not_supported.
///
/// Thread safety and lifetime: as for a recorder. A recording plays once; read it again for another
/// run.
class recording {
 public:
    /// A recorded reply.
    struct reply {
        /// Prompt of the reply's first request; empty if it was not recorded, or consists of ids.
        std::string prompt{};
        /// URL of the reply's first server, without credentials.
        std::string server{};
        /// Token limit of the reply; -1 = none.
        int max_tokens = -1;
    };

    /// Reads a recorder's lines; an incomplete last line is ignored. On an error, returns null,
    /// with bad_response in `ec` and the line in `diag`.
    static std::shared_ptr<recording> read(std::string_view lines, error_code& ec);
    static std::shared_ptr<recording> read(std::string_view lines, error_code& ec,
                                           diagnostics& diag);
    ~recording();

    /// URLs without credentials, in the order of their first requests. The configuration of a
    /// client that plays the recording must contain one of these URLs.
    const std::vector<std::string>& servers() const noexcept;
    /// The JSON of recorder::note(), in order.
    const std::vector<std::string>& notes() const noexcept;
    /// The recorded replies, in the order of their first requests.
    const std::vector<reply>& replies() const noexcept;
    /// Whether the recording was made with recorder_options::prompts.
    bool has_prompts() const noexcept;
    /// Whether the recorder reached its size limit, so that the end is missing.
    bool is_cut_short() const noexcept;
    /// Whether the recording ends in the middle of a request or a line, for example because the
    /// recording program was killed. A kill between two requests is not detected.
    bool is_unfinished() const noexcept;

    /// Plays `factor` times as fast as recorded, from the next piece of an answer; 0 = without
    /// waiting. Waits of at least `peek_hold` between two tokens keep their length, because they
    /// end chunks. Precondition: `factor` is not negative.
    void set_speed(double factor);

 private:
    friend detail::recording_access;
    recording();
    std::shared_ptr<detail::playback> playback_;
};

}  // namespace v0
}  // namespace tandem
