#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::mock {

using time_point = std::chrono::steady_clock::time_point;

/// How a request ended.
enum class outcome {
    running,   ///< not ended yet
    complete,  ///< answered completely
    cut,       ///< the client closed the connection first
    failed,    ///< answered with an error, immediately or during the stream
    faulted,   ///< ended by an injected fault
};

/// One request as the server saw it.
struct request_record {
    std::uint64_t number = 0;      ///< counts from 1
    std::uint64_t connection = 0;  ///< number of its TCP connection
    std::string method{};
    std::string path{};
    std::vector<std::pair<std::string, std::string>> headers{};  ///< names in lower case
    std::string body{};                                          ///< the first MiB
    time_point arrived{};
    /// When the client closed the connection or a fault broke it.
    std::optional<time_point> client_gone{};
    std::optional<time_point> ended{};
    mock::outcome outcome = mock::outcome::running;
    int status = 0;  ///< of the HTTP response; 0 = none sent

    // Completions only.
    int id_slot = -1;            ///< as requested
    int slot = -1;               ///< the slot that ran it; -1 = none
    std::string prompt{};        ///< as text
    bool prompt_as_ids = false;  ///< sent as token ids only
    bool deferred = false;       ///< had to wait for its slot
    std::optional<time_point> started{};
    int prompt_tokens = 0;
    int cached = 0;     ///< cache_n
    int evaluated = 0;  ///< prompt_n
    int generated = 0;  ///< including tokens that the client never received

    /// The value of a header, given its name in lower case; empty if it is missing.
    std::string header(const std::string& name) const;
};

/// The use of a slot by one request.
struct slot_use {
    std::uint64_t request = 0;
    time_point start{};
    std::optional<time_point> end{};
    bool cut = false;
};

struct slot_record {
    int id = 0;
    bool is_processing = false;
    int tokens = 0;  ///< in its cache
    int uses = 0;
    int cuts = 0;
    std::optional<time_point> last_used{};  ///< end of the latest use
    std::vector<slot_use> history{};        ///< at least the latest 4096, oldest first
};

/// A snapshot of all observations so far.
struct observations {
    std::vector<request_record> requests{};  ///< at least the latest 4096, oldest first
    std::vector<slot_record> slots{};
    std::uint64_t connections = 0;  ///< accepted so far
    int open_connections = 0;
    bool crashed = false;

    /// The requests of one path, oldest first.
    std::vector<request_record> of_path(const std::string& path) const;
};

}  // namespace tandem::mock
