#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

namespace tandem::testing {

/// Servers on one thread that do nothing but send tokens at fixed times. The mock server is too
/// slow for the loads of the benchmark, because it simulates llama-server. All sentences have the
/// same number of tokens.
class token_hose {
 public:
    using time_point = std::chrono::steady_clock::time_point;

    static constexpr int slots_of_a_server = 64;
    /// The number of tokens of a sentence, including the mark that ends it.
    static constexpr int tokens_of_a_sentence = 12;

    /// The server wrote the token to the socket between these times.
    struct sent_token {
        time_point from{};
        time_point to{};
    };
    /// One completion as it was sent.
    struct sent_request {
        std::vector<sent_token> tokens{};
        std::optional<time_point> closed{};  ///< when the client closed it, or after the last event
    };

    /// Starts enough servers for `streams` streams. Throws std::system_error.
    token_hose(int streams, double tokens_per_second);
    ~token_hose();
    token_hose(const token_hose&) = delete;
    token_hose& operator=(const token_hose&) = delete;

    std::vector<std::string> urls() const;
    /// The prompt that identifies a stream.
    static std::string prompt_of(int stream);

    /// Ends the thread.
    void stop();
    /// The completions of each stream, in order. Must be called after stop().
    const std::map<int, std::deque<sent_request>>& sent() const;
    /// The thread of the servers, for reading its processor time.
    pthread_t thread() { return thread_.native_handle(); }

 private:
    class thread_of_servers;
    std::unique_ptr<thread_of_servers> servers_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace tandem::testing
