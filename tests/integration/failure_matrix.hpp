#pragma once

#include "integration/mock_fixture.hpp"
#include "support/process.hpp"

#include "tandem/error.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Every fault of the mock server in every state of a reply.
namespace tandem::testing {

/// The state of a reply when the fault occurs, in the order of the table's columns.
enum class reply_state {
    queued,  ///< another reply uses the only slot, and suffers the fault
    waiting_for_the_guard,
    connecting,  ///< the answer's headers have not arrived
    before_the_first_token,
    in_mid_sentence,
    at_the_peek,  ///< the sentence is handed over; the client cuts after the next event
    holding,      ///< the sentence ends here unless the next token continues it
    waiting_for_continue,
    warming,
    finishing,  ///< all text has arrived, but not the final event
};
inline constexpr std::size_t reply_states = 10;
std::string name_of(reply_state s);

/// The outcome of a fault without retries.
struct whole_reply {};        // the reply notices nothing
struct interrupted_reply {};  // the test interrupts it; the server does not notice this cut
/// The reason why the fault cannot happen in the state.
using cannot_be = const char*;
using outcome = std::variant<whole_reply, interrupted_reply, errc, cannot_be>;

/// One cell of the table.
struct combination {
    mock::fault_kind kind{};
    reply_state state{};
    outcome without_retries{};
    bool has_retries = false;

    errc error() const {
        const auto* code = std::get_if<errc>(&without_retries);
        return code ? *code : errc{};
    }
    bool fails() const { return std::holds_alternative<errc>(without_retries); }
    bool is_interrupted() const {
        return std::holds_alternative<interrupted_reply>(without_retries);
    }
    bool can_be() const { return !std::holds_alternative<cannot_be>(without_retries); }
    bool is(mock::fault_kind k, reply_state s) const { return kind == k && state == s; }
    /// Whether text was read before the fault.
    bool has_text() const {
        return state != reply_state::connecting && state != reply_state::before_the_first_token;
    }
};
/// The name of the combination, such as "crash_in_mid_sentence".
std::string name_of(const combination& c);
inline void PrintTo(const combination& c, std::ostream* out) {
    *out << name_of(c);
}
/// The whole table, without retries.
const std::vector<combination>& all_combinations();
/// The possible combinations, with or without retries.
std::vector<combination> possible_combinations(bool has_retries);

/// Three sentences, and therefore three requests. Only the final event shows that the last sentence
/// is complete.
constexpr std::size_t told_sentences = 3;
constexpr const char* told =
    "The island lies in the warm sea, not far from the coast. Its old town is built of pale coral "
    "stone and dark wood. The narrow lanes smell of cloves, pepper and fresh bread";

/// A client, a mock server with one planned fault, and the reply that meets the fault.
class failing_reply : public client_and_mock {
 protected:
    static constexpr auto limit = 300ms;
    static constexpr auto unnoticed_for = 100ms;

    failing_reply();

    /// Starts server and client for the combination, and rehearses the reply.
    void prepare(const combination& c);
    /// Runs the reply that meets the fault to its end. With `revive`, a crashed server is started
    /// again at the same address.
    consumer meet_the_fault(bool revive);
    void expect_one_end(const consumer& c);
    /// Expects that the fault leaves nothing behind. Must be the last step, because it destroys the
    /// client.
    void expect_nothing_left(std::optional<consumer> gone);
    void revive_server();

    combination what;

 private:
    void limit_clocks();
    void rehearse();
    mock::fault the_fault() const;
    int place() const;
    void strike();
    void kill_server();
    void logged(log_level level, std::string_view line);
    void take(consumer& c, const chunk& piece);
    void go_on_while_it_warms(consumer& c);
    void interrupt_when_it_runs(consumer& c);
    void expect_all_slots_at_once();

    logger own_log_;
    std::string strike_at_;  // the fault occurs at a log line with this text
    bool is_rehearsed_ = false;
    std::string subject_ = "-";  // start of log lines of the reply that meets the fault
    bool is_revived_ = false;
    bool is_lost_ = false;    // the reply has noticed the fault and requests a server
    int first_sentence_ = 0;  // tokens
    int last_request_ = 0;    // its tokens without the end token
    std::size_t descriptors_ = 0;
};

}  // namespace tandem::testing
