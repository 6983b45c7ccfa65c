#include "recording/playback.hpp"

#include "recording/recorded_completion_json.hpp"
#include "wire/stream/completion_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>

namespace tandem::detail {
namespace {

constexpr double max_wait_ms = 365 * 24 * 3600 * 1000.0;
// A silence that is played more slowly stays shorter than peek_hold by this margin, because a busy
// loop may lengthen it.
constexpr auto silence_margin = std::chrono::milliseconds(20);

// A request that belongs to no reply is a prefill between the replies of a conversation.
bool is_prefill(const std::string& path, const std::optional<recorded_request_key>& place) {
    return path == wire::completion_path && (!place || place->is_prefill);
}

// The answer to a prefill, whose generated text is not read.
answer_script prefilled(const wire::recorded_completion_request& asked) {
    wire::token_event said;
    said.what = wire::token_event::kind::final;
    said.stop = wire::stop_type::limit;
    said.predicted = 1;
    said.id_slot = asked.id_slot;
    said.has_timings = true;
    return make_answer_script(wire::http_ok, wire::encode_stream_event(said));
}

}  // namespace

playback::playback(recorded_traffic traffic) : traffic_(std::move(traffic)) {
    sort_exchanges();
    for (const auto& r : replies_) {
        unplayed_.push_back(r.get());
        const auto& first = r->segments().front();
        shown_replies_.push_back(
            {first.request.prompt_text, first.exchange->request.server, first.request.n_predict});
    }
}

void playback::sort_exchanges() {
    std::set<std::string_view> known;
    std::map<std::uint64_t, std::vector<recorded_segment>> segments;
    for (const auto& x : traffic_.exchanges) {
        const auto& r = x.request;
        if (known.insert(r.server).second) servers_.push_back(r.server);
        if (is_prefill(r.path, r.reply_key))
            prefills_.push_back({&x});
        else if (r.path == wire::completion_path)
            segments[r.reply_key->reply].push_back(parse_segment(x));
        else
            calls_.push_back({&x});
    }
    for (auto& [number, list] : segments)
        replies_.push_back(std::make_shared<recorded_reply>(std::move(list)));
}

answer_script playback::answer(const std::string& server, const transport::http_request& request,
                               duration peek_hold) {
    const std::scoped_lock lock(mutex_);
    if (is_prefill(request.path, request.reply_key)) return answer_prefill(server, request);
    if (request.path == wire::completion_path)
        return answer_for_reply(*request.reply_key, request.body, peek_hold);
    return answer_to_call(server, request);
}

// Answers a prefill that was not recorded, or was cut, with only a final event.
answer_script playback::answer_prefill(const std::string& server,
                                       const transport::http_request& request) {
    const auto is_same = [&](const call& c) {
        const auto& r = c.exchange->request;
        return !c.is_played && !c.exchange->was_cut && r.server == server && r.body == request.body;
    };
    const auto found = std::ranges::find_if(prefills_, is_same);
    if (found == prefills_.end()) return prefilled(wire::parse_recorded_request(request.body));
    found->is_played = true;
    return make_answer_script(*found->exchange);
}

// Runs each step of the script under the mutex, because requests on several loops consume the same
// replies.
answer_script playback::with_lock(answer_script script) {
    return [self = shared_from_this(), script = std::move(script)] {
        const std::scoped_lock lock(self->mutex_);
        return script();
    };
}

answer_script playback::answer_for_reply(const recorded_request_key& place, const std::string& body,
                                         duration peek_hold) {
    const auto asked = wire::parse_recorded_request(body);
    auto* reply = find_reply(place, asked.prompt);
    if (!reply)
        return make_answer_script(
            wire::status_bad_request,
            wire::make_error_body(wire::status_bad_request,
                                  "the recording has no more replies to this prompt"));
    return with_lock(reply->answer({place.text_bytes, asked.id_slot, asked.n_predict}, peek_hold));
}

recorded_reply* playback::find_reply(const recorded_request_key& place, const std::string& prompt) {
    const auto name = std::pair(place.scope_number, place.reply);
    if (const auto found = playing_.find(name); found != playing_.end()) return found->second;
    const auto next = next_reply(prompt);
    if (next == unplayed_.end()) return nullptr;
    auto* reply = *next;
    unplayed_.erase(next);
    return playing_[name] = reply;
}

// If the prompt was recorded but all its replies have been played, no other prompt's reply may take
// their place. A prompt that was not recorded, because its conversation has another history, gets
// the reply to the most similar prompt.
auto playback::next_reply(const std::string& prompt) -> std::vector<recorded_reply*>::iterator {
    const auto same = std::ranges::find(unplayed_, prompt, &recorded_reply::prompt);
    if (same != unplayed_.end()) return same;
    const auto is_known = [&](const auto& r) { return r->prompt() == prompt; };
    if (std::ranges::any_of(replies_, is_known)) return unplayed_.end();
    return std::ranges::max_element(unplayed_, {}, [&](const recorded_reply* r) {
        return std::ranges::mismatch(r->prompt(), prompt).in1 - r->prompt().begin();
    });
}

answer_script playback::answer_to_call(const std::string& server,
                                       const transport::http_request& request) {
    if (auto* c = find_call(server, request)) {
        c->is_played = true;
        return make_answer_script(*c->exchange);
    }
    return make_answer_script(
        wire::status_not_implemented,
        wire::make_error_body(
            wire::status_not_implemented,
            fmt::format("the recording has no answer to {} {}", request.method, request.path)));
}

// Prefers an identical request, even to another server, because the answer is the same. If there is
// none, takes the next unplayed request to the same path on this server. If all were played,
// repeats the last one, because /health may be requested any number of times.
auto playback::find_call(const std::string& server, const transport::http_request& request)
    -> call* {
    const auto is_to_path = [&](const call& c) {
        const auto& r = c.exchange->request;
        return r.method == request.method && r.path == request.path;
    };
    const auto is_here = [&](const call& c) {
        return is_to_path(c) && c.exchange->request.server == server;
    };
    const auto is_same = [&](const call& c) {
        return is_to_path(c) && c.exchange->request.body == request.body;
    };
    const auto find = [&](auto fits) {
        const auto found = std::ranges::find_if(calls_, fits);
        return found == calls_.end() ? nullptr : &*found;
    };
    const bool says_more = !request.body.empty() && traffic_.has_prompts;
    call* found = find([&](const call& c) { return !c.is_played && is_here(c) && is_same(c); });
    if (!found && says_more)
        found = find([&](const call& c) { return !c.is_played && is_same(c); });
    if (!found && says_more) found = find(is_same);
    if (!found) found = find([&](const call& c) { return !c.is_played && is_here(c); });
    return found ? found : find_last_call(is_here);
}

// Prefers completed requests: a request that was cut may have no answer.
auto playback::find_last_call(const std::function<bool(const call&)>& fits) -> call* {
    const auto last = [&](bool may_be_cut) {
        return std::find_if(calls_.rbegin(), calls_.rend(), [&](const call& c) {
            return fits(c) && (may_be_cut || !c.exchange->was_cut);
        });
    };
    auto found = last(false);
    if (found == calls_.rend()) found = last(true);
    return found == calls_.rend() ? nullptr : &*found;
}

// Preserves decisions that depend on the length of a silence: a silence long enough for peek_hold
// keeps its length, and a shorter one is not extended beyond peek_hold.
duration playback::delay_of_step(const answer_step& step, duration peek_hold) const {
    const std::scoped_lock lock(mutex_);
    const bool decides = step.is_timing_relevant && peek_hold > duration{};
    if (speed_ == 1 || (decides && step.delay >= peek_hold)) return step.delay;
    if (speed_ == 0) return {};
    const auto scaled = std::min(to_ms(step.delay) / speed_, max_wait_ms);
    const auto wait =
        std::chrono::duration_cast<duration>(std::chrono::duration<double, std::milli>(scaled));
    return decides ? std::min(wait, std::max(step.delay, peek_hold - silence_margin)) : wait;
}

void playback::set_speed(double factor) {
    const std::scoped_lock lock(mutex_);
    speed_ = factor;
}

}  // namespace tandem::detail
