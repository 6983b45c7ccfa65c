#pragma once

#include "base/failure.hpp"
#include "cluster_status/store_facts.hpp"
#include "server/template_thinking.hpp"

#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

// The results of `tandem doctor` as plain values. The findings are derived from them.
namespace tandem::command {

/// The number of tokens that a voice speaks per second.
inline constexpr double speech_tokens_per_second = 3.5;
/// A server that generates more slowly takes more than about 1.5 s for a sentence of 20 tokens.
inline constexpr double slow_tokens_per_second = 15;
/// Context per slot that is enough for a conversation of about twenty minutes.
inline constexpr int fair_context = 4096;

/// The outcome of a query to the server. `value` of a failed query may be incomplete. If an earlier
/// query failed, this query was not sent, and `done` is false.
template <class T = std::monostate>
struct probe_result {
    bool done = false;
    failure fault{};
    T value{};

    bool ok() const { return done && !fault.ec; }
    bool failed() const { return done && fault.ec; }
};

/// How many prompt tokens of a request were found in the slot's cache, and how many were evaluated.
struct cache_usage {
    int cached = 0;
    int evaluated = 0;

    int all() const noexcept { return cached + evaluated; }
};

/// One round of measurements, or the medians of several. Values that were not measured are negative
/// or unset.
struct measurement_round {
    /// Time to the first token with an empty cache, and with the whole prompt cached.
    double first_token_cold_ms = -1;
    double first_token_warm_ms = -1;
    /// Figures reported by the server.
    double prompt_tokens_per_second = -1;
    double tokens_per_second = -1;
    /// Time from closing the connection until /slots reports the slot as idle.
    double cut_to_idle_ms = -1;
    /// How many tokens the slot contains after a cut, beyond the tokens that the client has
    /// received.
    int tokens_after_cut = -1;
    /// Cache use of a request that continued in the slot of the cut.
    std::optional<cache_usage> same_slot{};
    /// Cache use of a request that continued in another slot: `other_slot` without preparation,
    /// `prefilled_slot` after a request with the same text.
    std::optional<cache_usage> other_slot{};
    std::optional<cache_usage> prefilled_slot{};
    /// Cache use of a request that continued in the first slot, after the requests in the other
    /// slot.
    std::optional<cache_usage> first_slot_again{};
    /// Cache use of a request that continued in the first slot, after another conversation had used
    /// this slot.
    std::optional<cache_usage> after_change{};
    double first_token_after_change_ms = -1;
};

/// Returns the median of each figure over the rounds that measured it. For an even count, returns
/// the lower of the middle two, so that the result is a measured value.
measurement_round compute_medians(const std::vector<measurement_round>& rounds);

struct doctor_measurements {
    measurement_round median{};
    int rounds = 0;
    /// Successful requests to /completion.
    int requests = 0;
    /// Prompt length at the start of a round.
    int prompt_tokens = 0;
    /// The slots used for measuring.
    std::vector<int> slots{};
    /// If the measurement gave up because a slot stayed busy after a cut: how long it waited.
    /// Otherwise negative.
    double busy_after_cut_ms = -1;
    /// Whether the time limit for measuring expired.
    bool ran_out = false;
};

/// The configuration values that findings refer to.
struct doctor_settings {
    /// Unset: all slots of the server.
    std::optional<int> slots{};
    /// Unset: the guard recommended for the build.
    std::optional<duration> reuse_guard = std::chrono::seconds(2);
    std::string pacing = "auto";
    bool has_key = false;
};

struct doctor_facts {
    /// Without credentials.
    std::string url{};
    bool https = false;
    /// Whether the connection is local or uses TLS.
    bool is_private = true;
    doctor_settings settings{};

    probe_result<> health{};
    /// Whether the server did not answer at the URL, but does with https instead of http, or vice
    /// versa.
    bool other_scheme_answers = false;
    /// How long the probe waited for the model to load.
    double loading_ms = 0;
    /// Median duration of a health check.
    double round_trip_ms = -1;
    probe_result<server_props> props{};
    /// Whether the server rejects requests without the key; unset if unknown.
    std::optional<bool> requires_key{};
    probe_result<std::vector<slot_state>> slots{};
    /// Maximum number of slots seen in use by other clients, including use between two polls.
    int busy_slots = 0;
    probe_result<> chat_template{};
    /// The text that begins function calls; empty if the template does not show it.
    probe_result<std::string> call_mark{};
    probe_result<server::template_thinking> thinking{};
    probe_result<doctor_measurements> measured{};
    /// Unset without --cluster.
    std::optional<store_facts> store{};
    /// Whether a signal or closed output stopped the run.
    bool stopped = false;

    /// The effective reuse guard. With a guard, a conversation alternates between two slots.
    /// Precondition: props.ok().
    duration reuse_guard() const;
    int slots_per_caller() const { return reuse_guard() > duration{} ? 2 : 1; }
    /// Whether the speed of generation was measured.
    bool has_speed() const { return measured.ok() && measured.value.median.tokens_per_second > 0; }
    /// Whether a slot generates more slowly than a voice speaks.
    bool is_slower_than_speech() const;
    /// The estimated number of callers that the server can serve at the same time; 0 if the server
    /// is slower than speech. Without a measured speed, assumes a separate slot for each caller.
    int callers() const;
};

}  // namespace tandem::command
