#pragma once

#include "tandem_mock/dialogue.hpp"

#include "tandem/client.hpp"
#include "tandem/service.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace tandem::testing {

/// The settings of the talkers.
struct talk_plan {
    int at_a_time = 8;
    /// The total number of dialogues; 0 = until finish().
    int dialogues = 0;
    /// The voice speaks each chunk for a random time of at most this length.
    std::chrono::milliseconds max_speech{0};
    std::uint64_t seed = 1;
};

/// A reply with an unexpected result.
struct strange_reply {
    std::string turn;
    std::string text;
    error_code error;
    std::string words;
};

/// The results of the replies.
struct talk_totals {
    int replies = 0;
    int retries = 0;
    int max_retries = 0;  ///< of one reply
    int requests = 0;
    /// The longest time from continue_after() to the next chunk.
    double longest_pause_ms = 0;
    double longest_first_chunk_ms = 0;
    /// The numbers of failed replies and of replies with wrong text. The lists below keep the first
    /// 10 of each.
    int failed = 0;
    int wrong = 0;
    /// The number of talkers that had not finished when finish() stopped waiting.
    int hanging = 0;
    std::vector<strange_reply> failures{};
    std::vector<strange_reply> wrong_texts{};

    std::string to_string() const;
};

/// The texts of turns, by "dialogue/number".
using turn_texts = std::map<std::string, std::string>;

/// Runs the dialogues of the talk model through the library, several at a time, on its own event
/// loop and thread. With a service, each dialogue is a conversation. With a client, each turn is a
/// prompt.
class talkers {
 public:
    /// Compares the texts with `expected`. If `expected` is empty, stores the texts for texts().
    talkers(std::variant<service_config, tandem::config> library, instruments i, talk_plan plan,
            turn_texts expected = {});
    ~talkers();
    talkers(const talkers&) = delete;
    talkers& operator=(const talkers&) = delete;

    /// May be called from any thread.
    int replies() const { return replies_; }
    int chunks() const { return chunks_; }
    bool done() const { return done_; }

    /// Waits up to two minutes for the dialogues to end. If `dialogues` is 0 in the plan, no
    /// further dialogue begins.
    talk_totals finish();
    /// Valid after finish().
    const turn_texts& texts() const { return texts_; }

 private:
    using dialogue_list = std::vector<mock::dialogue>;
    class session;
    class talker;

    const mock::dialogue* next_dialogue();
    void note(const std::string& turn, const reply_result& r);
    void run(std::variant<service_config, tandem::config> library, instruments i);

    talk_plan plan_;
    turn_texts texts_;
    bool compares_;
    dialogue_list dialogues_;
    talk_totals totals_;
    int begun_ = 0;
    boost::asio::io_context ioc_{1};
    std::atomic<int> replies_ = 0;
    std::atomic<int> chunks_ = 0;
    std::atomic<bool> done_ = false;
    std::atomic<bool> finishing_ = false;
    std::thread thread_;
};

}  // namespace tandem::testing
