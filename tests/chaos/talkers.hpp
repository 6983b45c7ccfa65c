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

/// How many talk, and how.
struct talk_plan {
    int at_a_time = 8;
    /// So many dialogues in all; 0 = until finish().
    int dialogues = 0;
    /// The voice takes up to so long for a chunk.
    std::chrono::milliseconds longest_speech{0};
    std::uint64_t seed = 1;
};

/// A reply that did not end as it should.
struct strange_reply {
    std::string turn;
    std::string text;
    error_code error;
    std::string words;
};

/// What became of the replies.
struct talk_totals {
    int replies = 0;
    int retries = 0;
    int most_retries = 0;  ///< of one reply
    int requests = 0;
    /// From a continue to the next chunk.
    double longest_pause_ms = 0;
    double longest_first_chunk_ms = 0;
    /// Those that failed, and those with another text than expected; 10 of each are kept.
    int failed = 0;
    int wrong = 0;
    /// Talkers that waited still when patience with them ended.
    int hanging = 0;
    std::vector<strange_reply> failures{};
    std::vector<strange_reply> wrong_texts{};

    std::string to_string() const;
};

/// The texts of turns, by "name of the dialogue/number".
using turn_texts = std::map<std::string, std::string>;

/// Says the dialogues of the talk model through the library, several at a time, on an event loop
/// and a thread of its own. With a service each dialogue is a conversation, with a client each turn
/// is a prompt.
class talkers {
 public:
    /// What texts are compared with; nothing = they are kept as what was said.
    talkers(std::variant<service_config, tandem::config> library, instruments i, talk_plan plan,
            turn_texts expected = {});
    ~talkers();
    talkers(const talkers&) = delete;
    talkers& operator=(const talkers&) = delete;

    /// From any thread.
    int replies() const { return replies_; }
    int chunks() const { return chunks_; }
    bool done() const { return done_; }

    /// Waits for the dialogues that run, two minutes at most, and begins no more of them where the
    /// plan sets no number.
    talk_totals finish();
    /// After finish().
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
