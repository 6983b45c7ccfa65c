#pragma once

#include "base/time.hpp"
#include "recording/recording_line_json.hpp"
#include "transport/transport.hpp"

#include "tandem/recording.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::detail {

/// Numbers the requests, and writes the traffic as lines. Thread-safe, because the servers of one
/// recording may be used on several loops.
class traffic_writer {
 public:
    /// `began` is the start time as readable text.
    traffic_writer(recorder::sink to, recorder_options options, time_point now, std::string began);

    /// Returns the number of the request, for the calls below. `server` must not contain a
    /// password.
    std::uint64_t record_request(time_point now, const std::string& server,
                                 const transport::http_request& request);
    void record_status(time_point now, std::uint64_t request, int http_status);
    void record_bytes(time_point now, std::uint64_t request, std::string_view bytes);
    void record_end(time_point now, std::uint64_t request, error_code ec, const diagnostics& diag);
    void record_cut(time_point now, std::uint64_t request);
    void record_note(time_point now, std::string_view json);

 private:
    // An answer that may contain prompts is held until it is complete, and a stream until a line is
    // complete, because prompts cannot be removed from a fragment.
    struct withheld {
        std::string path;
        std::string body;
        bool is_stream = false;
    };
    using reply_key = std::pair<std::uint64_t, std::uint64_t>;

    wire::recorded_request describe_request(const std::string& server,
                                            const transport::http_request& request);
    void write(time_point now, wire::recording_entry entry);
    void write_withheld(time_point now, std::uint64_t request);
    void write_lines(time_point now, std::uint64_t request, std::string& body);

    recorder::sink to_;
    recorder_options options_;
    time_point began_;
    std::mutex mutex_;  // guards all members below, and the order of lines
    std::size_t bytes_ = 0;
    bool is_full_ = false;
    std::uint64_t requests_ = 0;
    std::map<reply_key, std::uint64_t> replies_;
    std::map<std::uint64_t, withheld> withheld_;
};

}  // namespace tandem::detail
