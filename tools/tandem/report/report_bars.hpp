#pragma once

#include "report/report_data.hpp"

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// The events of a reply as bars and marks on lanes. Pure. Times are in ms since the start of the
// reply.
namespace tandem::command {

struct report_bar {
    enum class kind {
        slot_wait,   ///< another request holds the slot
        guard_wait,  ///< the slot is paused by the reuse guard
        prompt,      ///< from the request to its first token
        generation,  ///< from the first token to the cut or the end
        peek,        ///< until the token that decides whether a chunk ends
        warming,     ///< prefill of the slot with the text so far
        text,        ///< a chunk, until the next one
        speech,      ///< speech of a chunk, from hand-over to continue
        silence,     ///< the listener waits for a chunk
        dropped,     ///< events that did not fit into the timeline
        resident,    ///< a slot holds the text of a dialogue
    };
    kind what = kind::prompt;
    /// Index into `report_bars::lanes`.
    int lane = 0;
    double from_ms = 0;
    double to_ms = 0;
    /// `words`: the tooltip; `label`: the text inside the bar, which is usually empty.
    std::string words{};
    std::string label{};
    /// Number of the color of a dialogue, or -1 for the color of the kind.
    int hue = -1;
};

struct report_mark {
    enum class kind { cut, lost, retry, interrupt, end };
    kind what = kind::end;
    int lane = 0;
    double at_ms = 0;
    std::string words{};
};

/// A slot of a server. The server name has no scheme.
struct lane_slot {
    std::string server{};
    int slot = -1;

    friend auto operator<=>(const lane_slot&, const lane_slot&) = default;
};

struct report_bars {
    /// "slot 0", "slot 1 at 10.0.0.2:8080", "chunks", "voice".
    std::vector<std::string> lanes{};
    /// slots[i] is the slot of lane i. The lanes after these show no slots.
    std::vector<lane_slot> slots{};
    std::vector<report_bar> bars{};
    std::vector<report_mark> marks{};
    double duration_ms = 0;
};

std::string_view to_string(report_bar::kind k) noexcept;
std::string_view to_string(report_mark::kind k) noexcept;

/// Returns the names of the lanes. They include the servers if there are several.
std::vector<std::string> name_lanes(const std::set<lane_slot>& slots);
report_bars make_bars(const report_reply& r);

}  // namespace tandem::command
