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

/// The speed at which a voice speaks.
inline constexpr double speech_tokens_per_second = 3.5;
/// A sentence of 20 tokens should take at most about 1.5 s.
inline constexpr double slow_tokens_per_second = 15;
/// Context per slot that is enough for a conversation of about twenty minutes.
inline constexpr int fair_context = 4096;

/// The outcome of a query to the server. A failed query may contain a partial value. The query is
/// not done if an earlier query failed.
template <class T = std::monostate>
struct probe_result {
    bool done = false;
    failure fault{};
    T value{};

    bool ok() const { return done && !fault.ec; }
    bool failed() const { return done && fault.ec; }
};

/// Prompt tokens of one request: those found in the slot's cache, and those evaluated.
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
    /// Tokens in the slot after a cut, beyond those received.
    int tokens_after_cut = -1;
    /// A request that continued on the slot of the cut.
    std::optional<cache_usage> same_slot{};
    /// A request that continued on another slot: without preparation, and after a prefill of the
    /// text so far.
    std::optional<cache_usage> other_slot{};
    std::optional<cache_usage> prefilled_slot{};
    /// A request that continued on the first slot, after the other slot was used.
    std::optional<cache_usage> first_slot_again{};
    /// A request that continued on the first slot, after another conversation had used the slot.
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
    /// How long a slot had been busy after a cut when the measurement gave up; negative if the
    /// measurement did not give up.
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
    /// Whether the URL failed, but the port answers with the other scheme (http or https).
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

    /// The effective reuse guard, and the slots that a conversation uses in turn because of the
    /// guard. Precondition: props.ok().
    duration reuse_guard() const;
    int slots_per_caller() const { return reuse_guard() > duration{} ? 2 : 1; }
    /// Whether the speed of a reply was measured.
    bool has_speed() const { return measured.ok() && measured.value.median.tokens_per_second > 0; }
    /// Whether a slot generates more slowly than a voice speaks.
    bool is_slower_than_speech() const;
    /// The estimated number of callers that the server can serve at the same time; 0 if the server
    /// is slower than speech. Without a measured speed, assumes a separate slot for each caller.
    int callers() const;
};

}  // namespace tandem::command
