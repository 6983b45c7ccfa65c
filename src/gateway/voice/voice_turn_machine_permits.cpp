// Turns that the key's limits or the prompt policy permit or refuse.
#include "gateway/voice/voice_turn_machine.hpp"

#include <utility>

namespace tandem::gateway {
namespace {

using kind = voice_turn::kind;

}  // namespace

void voice_turn_machine::on_turn_permitted(time_point now, std::uint64_t number) {
    const auto found = find_waiting(number);
    if (is_over() || found == waiting_.end() || found->is_permitted) return;
    if (!socket_ && !found->is_cancelled) return void(found->is_check_due = true);
    found->is_permitted = true;
    if (found->turn->is_requested_by_start() && !found->is_cancelled) interrupt_for(now, found);
    advance(now);
}

void voice_turn_machine::on_turn_refused(time_point now, std::uint64_t number, api_error why) {
    const auto found = find_waiting(number);
    if (found == waiting_.end() || found->is_permitted) return;
    const auto turn = found->turn;
    waiting_.erase(found);
    const bool has_words = turn->what == kind::reply && !turn->messages.empty();
    if (has_conversation_ && has_words) actions_.push_back(voice_action::drop_draft{});
    voice_error error{.why = std::move(why), .turn = turn->id};
    if (turn->what == kind::messages) {
        if (turn->results.size() == 1) error.call = turn->results[0].id;
        deliver(encode_error(error));
    } else {
        error.reply = number;
        deliver_end(*turn, encode_error(error));
    }
    advance(now);
}

// Other sessions of the key may need the permit, and the next socket may come late or never.
void voice_turn_machine::drop_permits() {
    for (auto& w : waiting_)
        if (!w.is_cancelled && std::exchange(w.is_permitted, false)) w.is_check_due = true;
}

void voice_turn_machine::check_turn(waiting_turn& w) {
    w.is_check_due = !socket_;
    if (!w.is_check_due)
        actions_.push_back(voice_action::check_turn{w.turn, std::exchange(w.was_checked, true)});
}

void voice_turn_machine::check_due_turns() {
    for (auto& w : waiting_)
        if (w.is_check_due) check_turn(w);
}

}  // namespace tandem::gateway
