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

/// Servers that do nothing but send tokens when they are due, all on one thread: for loads that the
/// mock server, which plays a whole llama-server, cannot make. Every sentence has the same tokens.
class token_hose {
 public:
    using time_point = std::chrono::steady_clock::time_point;

    static constexpr int slots_of_a_server = 64;
    /// Tokens of a sentence, its mark included, which decides that it ended.
    static constexpr int tokens_of_a_sentence = 12;

    /// A token went into the socket between these.
    struct sent_token {
        time_point from{};
        time_point to{};
    };
    /// One completion as it was sent.
    struct sent_request {
        std::vector<sent_token> tokens{};
        std::optional<time_point> closed{};  ///< when the client's FIN was seen
    };

    /// Enough servers for so many streams. Throws std::system_error.
    token_hose(int streams, double tokens_per_second);
    ~token_hose();
    token_hose(const token_hose&) = delete;
    token_hose& operator=(const token_hose&) = delete;

    std::vector<std::string> urls() const;
    /// The prompt that names a stream.
    static std::string prompt_of(int stream);

    /// Ends the thread.
    void stop();
    /// The completions of each stream, in their order. After stop().
    const std::map<int, std::deque<sent_request>>& sent() const;
    /// The thread, to ask for its processor time.
    pthread_t thread() { return thread_.native_handle(); }

 private:
    class thread_of_servers;
    std::unique_ptr<thread_of_servers> servers_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace tandem::testing
