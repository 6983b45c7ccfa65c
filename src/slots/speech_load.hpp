#pragma once

#include "base/time.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tandem::slots {

/// What a process reports about its load to the other processes that use the same servers. Each
/// process adds up the reports of the others, so all members are numbers.
struct load_report {
    /// The tokens/s that the voices of all sessions need, and the number of sessions.
    double demand = 0;
    double sessions = 0;
    /// 1 if a session began so recently that its effect on the servers is not yet visible,
    /// otherwise 0.
    double new_sessions = 0;
    /// The tokens/s that all servers together can generate, as observed by this process, and 1.
    /// Both are 0 if the process has no recent observation.
    double supply = 0;
    double observers = 0;
};

/// The load that listeners put on some servers: the tokens per second that the voices of all
/// sessions consume, divided by the tokens per second that the servers can generate. Both rates are
/// observed. The time in which a session waits for the server is excluded from its rate, because
/// the load is what listeners need, not what they get. Pure.
class speech_load {
 public:
    void on_session_started(const std::string& session, time_point now);
    void on_session_ended(const std::string& session, time_point now);
    /// The user has finished speaking. From now until the reply's first chunk arrives, the session
    /// waits for the server.
    void on_turn_started(const std::string& session, time_point now);
    /// The voice received a chunk, which it speaks after the earlier chunks.
    void on_chunk_received(const std::string& session, int tokens, time_point now);
    /// The voice has finished its oldest unfinished chunk.
    void on_chunk_spoken(const std::string& session, time_point now);
    /// `wasted`: tokens that the turn generated but no chunk contained.
    void on_turn_ended(const std::string& session, int wasted, time_point now);

    /// What was observed of a server that new sessions may use.
    struct observation {
        std::string server{};
        /// The most tokens/s that it can generate in total, if known. If not, the last known value
        /// is used for some time.
        std::optional<double> tokens_per_s{};
        /// How overdue its first waiting request is.
        duration late{};
        /// The share of their lead that continuations lose while they wait for a slot; see
        /// lead_loss.
        double lead_loss = 0;
    };
    void on_servers_observed(const std::vector<observation>& usable, time_point now);

    load_report make_report(time_point now) const;
    /// Sets the sum of the reports of the other processes.
    void set_load_of_other_processes(const load_report& r) noexcept { elsewhere_ = r; }

    /// At 1, the listeners need everything that the servers can generate. Returns 0 if the load is
    /// unknown.
    double compute_load(time_point now) const;
    /// nullopt if one more session can be served in time, or if too little is known. Otherwise, the
    /// time after which to try again.
    std::optional<duration> check_new_session(time_point now);

    static constexpr duration min_retry_after = std::chrono::seconds(1);
    static constexpr duration max_retry_after = std::chrono::seconds(30);

 private:
    /// Spoken tokens, and the time that speaking them took, including pauses.
    struct usage {
        double tokens = 0;
        double seconds = 0;
        void add(double more_tokens, duration more_time, double remembered_s);
    };
    struct session_state {
        usage own{};
        /// When the voice began to speak its present chunk, or when the user's turn to speak began;
        /// nullopt while the session waits for the server.
        std::optional<time_point> counted_from{};
        std::deque<int> unspoken{};  // tokens of the chunks that the voice has not spoken yet
    };
    struct server_state {
        double tokens_per_s = 0;
        time_point known_at{};
        duration late{};
        double lead_loss = 0;
        bool is_usable = false;
    };

    session_state* find_session(const std::string& session);
    void add_usage(session_state& s, double tokens, time_point now);
    static void learn_speed(server_state& s, double tokens_per_s, time_point now);
    double tokens_per_s_of_session() const noexcept;
    /// Whether the latest session began so recently that its effect is not yet visible.
    bool has_new_session(time_point now) const;
    double compute_demand(time_point now) const;
    std::optional<double> observe_supply(time_point now) const;
    std::optional<double> compute_supply(time_point now) const;
    bool are_servers_full(double load, time_point now) const;
    duration time_until_ended(double sessions) const noexcept;

    std::unordered_map<std::string, session_state> sessions_;
    std::map<std::string, server_state> servers_;
    time_point servers_seen_at_{};
    usage all_;
    load_report elsewhere_;
    bool is_full_ = false;  // the last session was refused
    std::optional<time_point> latest_began_at_{};
    // Mean time between ends of sessions; 0 until two have ended.
    std::optional<time_point> last_end_{};
    duration between_ends_{};
};

}  // namespace tandem::slots
