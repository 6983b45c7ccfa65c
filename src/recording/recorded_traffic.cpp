#include "recording/recorded_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tandem::detail {
namespace {

// Assembles exchanges from the lines; each function returns false for a line that matches no
// earlier one.
class traffic_reader {
 public:
    bool read(wire::recording_line line) {
        last_at_ = std::max(last_at_, line.at);  // a recording's clock is monotonic
        const bool is_start = std::holds_alternative<wire::recording_start>(line.entry);
        if (is_start == std::exchange(has_begun_, true)) return false;
        return std::visit([&](auto& entry) { return take(std::move(entry)); }, line.entry);
    }
    void mark_unfinished() { traffic_.is_unfinished = true; }
    recorded_traffic finished() {
        for (const auto& [number, index] : running_) traffic_.exchanges[index].ended_at = last_at_;
        traffic_.is_unfinished |= !running_.empty();
        traffic_.is_unfinished &= !traffic_.is_cut_short;
        return std::move(traffic_);
    }
    bool has_begun() const noexcept { return has_begun_; }

 private:
    bool take(wire::recording_start e) {
        traffic_.has_prompts = e.has_prompts;
        return true;
    }
    bool take(wire::recorded_request e) {
        const auto number = e.number;
        traffic_.exchanges.push_back({.request = std::move(e), .sent_at = last_at_});
        return running_.emplace(number, traffic_.exchanges.size() - 1).second;
    }
    bool take(wire::recorded_status e) {
        auto* x = find(e.request);
        if (!x || x->http_status) return false;
        x->http_status = e.http_status;
        x->status_at = last_at_;
        return true;
    }
    bool take(wire::recorded_bytes e) {
        auto* x = find(e.request);
        if (!x || !x->http_status) return false;
        x->pieces.push_back({last_at_, std::move(e.bytes)});
        return true;
    }
    bool take(wire::recorded_end e) {
        auto* x = find(e.request);
        if (!x) return false;
        x->was_cut = false;
        x->ec = e.ec;
        x->message = std::move(e.message);
        return finish(e.request, *x);
    }
    bool take(wire::recorded_cut e) {
        auto* x = find(e.request);
        return x && finish(e.request, *x);
    }
    bool take(wire::recorded_note e) {
        traffic_.notes.push_back(std::move(e.json));
        return true;
    }
    bool take(wire::recording_full) {
        traffic_.is_cut_short = true;
        return true;
    }

    recorded_exchange* find(std::uint64_t number) {
        const auto found = running_.find(number);
        return found == running_.end() ? nullptr : &traffic_.exchanges[found->second];
    }
    bool finish(std::uint64_t number, recorded_exchange& x) {
        x.ended_at = last_at_;
        running_.erase(number);
        return true;
    }

    recorded_traffic traffic_;
    std::unordered_map<std::uint64_t, std::size_t> running_;
    duration last_at_{};
    bool has_begun_ = false;
};

}  // namespace

std::optional<recorded_traffic> parse_traffic(std::string_view lines, std::string& fault) {
    traffic_reader reader;
    for (std::size_t number = 1; !lines.empty(); ++number) {
        const auto end = lines.find('\n');
        const auto text = lines.substr(0, end);
        const bool is_whole = end != std::string_view::npos;
        lines.remove_prefix(is_whole ? end + 1 : lines.size());
        if (text.empty()) continue;
        auto line = wire::read_recording_line(text, fault);
        if (!line && !is_whole && reader.has_begun()) {
            reader.mark_unfinished();  // the program was killed while writing it
            break;
        }
        if (line && !reader.read(std::move(*line))) {
            fault = reader.has_begun() && number > 1 ? "is inconsistent with the lines before it"
                                                     : "is not the beginning of a recording";
            line.reset();
        }
        if (!line) {
            fault = fmt::format("line {} {}", number, fault);
            return std::nullopt;
        }
    }
    if (!reader.has_begun()) {
        fault = "is empty";
        return std::nullopt;
    }
    fault.clear();
    return reader.finished();
}

}  // namespace tandem::detail
