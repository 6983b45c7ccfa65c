#pragma once

#include "report/report_data.hpp"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

// What happened in a reply, as bars and marks on lanes. Pure; times are ms since the reply's start.
namespace tandem::command {

struct report_bar {
    enum class kind {
        slot_wait,   ///< another request holds the slot
        guard_wait,  ///< the slot rests for the reuse guard
        prompt,      ///< from the request to its first token
        generation,  ///< from there to the cut, or the end
        peek,        ///< a chunk could end, and its next token is looked at
        warming,     ///< the slot is prefilled with the text so far
        text,        ///< a chunk, until the next one
        speech,      ///< a chunk that is spoken: from its hand-over to its continue
        silence,     ///< what the listener waits for the next chunk, or the first
        dropped,     ///< events that the timeline had no room for
    };
    kind what = kind::prompt;
    /// An index of `report_bars::lanes`.
    int lane = 0;
    double from_ms = 0;
    double to_ms = 0;
    /// What is told of it, and what stands in it; the latter mostly empty.
    std::string words{};
    std::string label{};
};

struct report_mark {
    enum class kind { cut, lost, retry, interrupt, end };
    kind what = kind::end;
    int lane = 0;
    double at_ms = 0;
    std::string words{};
};

/// A slot of a server, which is named without its scheme.
struct report_slot {
    std::string server{};
    int slot = -1;

    friend auto operator<=>(const report_slot&, const report_slot&) = default;
};

struct report_bars {
    /// "slot 0", "slot 1 at 10.0.0.2:8080", "chunks", "voice".
    std::vector<std::string> lanes{};
    /// What the first lanes stand for.
    std::vector<report_slot> slots{};
    std::vector<report_bar> bars{};
    std::vector<report_mark> marks{};
    double duration_ms = 0;
};

std::string_view to_string(report_bar::kind k) noexcept;
std::string_view to_string(report_mark::kind k) noexcept;

/// In the order of their lanes' events.
report_bars bars_of(const report_reply& r);

}  // namespace tandem::command
