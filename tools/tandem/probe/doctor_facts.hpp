#pragma once

#include "base/failure.hpp"

#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

// What `tandem doctor` found out: plain values, which the findings are made from.
namespace tandem::command {

/// A sentence of 20 tokens should be there within some 1.5 s.
inline constexpr double slow_tokens_per_second = 15;
/// Tokens of a slot that last for a talk of some twenty minutes.
inline constexpr int fair_context = 4096;

/// What came of a question to the server; one that failed may have a value of what was known until
/// then. Not done where an earlier question had no good answer.
template <class T = std::monostate>
struct asked {
    bool done = false;
    failure fault{};
    T value{};

    bool ok() const { return done && !fault.ec; }
    bool failed() const { return done && fault.ec; }
};

/// Prompt tokens of one request: those that the slot still held, and those it evaluated.
struct cache_use {
    int cached = 0;
    int evaluated = 0;

    int all() const noexcept { return cached + evaluated; }
};

/// One round of measuring, or the medians of several. What was not measured is below 0, or empty.
struct doctor_round {
    /// From the request to its first token: with nothing of the prompt in the slot, and with all.
    double first_token_cold_ms = -1;
    double first_token_warm_ms = -1;
    /// The server's own figures.
    double prompt_tokens_per_second = -1;
    double tokens_per_second = -1;
    /// From closing the connection until /slots shows the slot idle.
    double cut_to_idle_ms = -1;
    /// Tokens that the slot holds after a cut beyond those that came.
    int tokens_after_cut = -1;
    /// The slot that was cut, asked to continue.
    std::optional<cache_use> same_slot{};
    /// Another slot asked to continue: as it is, and prefilled with the text so far.
    std::optional<cache_use> other_slot{};
    std::optional<cache_use> prefilled_slot{};
    /// The first slot again, after the other one was used.
    std::optional<cache_use> first_slot_again{};
};

struct doctor_measures {
    doctor_round median{};
    int rounds = 0;
    /// Requests to /completion that were answered as they should be.
    int requests = 0;
    /// Of the prompt that a round begins with.
    int prompt_tokens = 0;
    /// The slots that were used.
    std::vector<int> slots{};
    /// How long a slot was still busy after a cut when that was given up; below 0: none was.
    double busy_after_cut_ms = -1;
    /// The time for measuring ran out.
    bool ran_out = false;
};

/// The part of the configuration that findings are about.
struct doctor_wishes {
    /// Empty: all that the server has.
    std::optional<int> slots{};
    /// Empty: what suits the build.
    std::optional<duration> reuse_guard = std::chrono::seconds(2);
    std::string pacing = "warm";
    bool has_key = false;
};

struct doctor_facts {
    /// Without credentials.
    std::string url{};
    bool https = false;
    /// The server is on this machine, or behind TLS.
    bool is_private = true;
    doctor_wishes wishes{};

    asked<> health{};
    /// Nothing came of the URL, but the port answers to the other one of http and https.
    bool other_scheme_answers = false;
    /// How long the model's loading was waited for.
    double loading_ms = 0;
    /// Of a call that does nothing.
    double round_trip_ms = -1;
    asked<server_props> props{};
    asked<std::vector<slot_state>> slots{};
    /// Most slots that others were seen to use, or to have used between two looks.
    int busy_slots = 0;
    asked<> chat_template{};
    asked<doctor_measures> measured{};
    /// Ctrl-C, or nobody reads the output.
    bool stopped = false;

    /// The guard that holds, and what follows from it for conversations. Precondition: props.ok().
    duration reuse_guard() const;
    int slots_per_caller() const;
    /// Callers who can be spoken to at the same time.
    int callers() const;
};

}  // namespace tandem::command
