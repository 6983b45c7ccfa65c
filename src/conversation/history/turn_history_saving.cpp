#include "conversation/history/turn_history.hpp"

#include <iterator>
#include <utility>

// The saved state of a conversation.
namespace tandem::conversations {

turn_history::turn_history(saved_conversation saved, time_point now)
    : turn_history(std::move(saved.options)) {
    std::move(saved.exchanges.begin(), saved.exchanges.end(), std::back_inserter(exchanges_));
    settled_turn_ = saved.last_turn;
    late_calls_ = std::move(saved.late_calls);
    if (!saved.open_turn) return;
    auto& open = *saved.open_turn;
    if (exchanges_.empty()) begin_exchange();
    auto& messages = exchanges_.back().messages;
    messages.resize(messages.size() - open.kept_messages);
    filler_ = std::move(open.filler);
    is_given_ = open.is_given;
    turn_ = turn_ledger(std::move(open));
    state_ = turn_state::ended;
    end_ = turn_end::interrupted;
    interrupted_at_ = now;
}

saved_conversation turn_history::saved(std::span<const chat_message> said_meanwhile) const {
    auto copy = *this;
    copy.interrupt_running();
    std::optional<saved_open_turn> open;
    if (copy.is_cut_short() && calls_.empty() && said_meanwhile.empty())
        open = copy.make_saved_open_turn();
    copy.move_turn_to_history();
    for (const auto& m : said_meanwhile) copy.append_message(m);
    saved_conversation all{std::move(copy.options_), std::move(copy.exchanges_), copy.settled_turn_,
                           std::move(open), std::move(copy.late_calls_)};
    all.options.messages = std::move(copy.system_);
    return all;
}

bool turn_history::is_cut_short() const noexcept {
    return state_ == turn_state::ended && end_ == turn_end::interrupted;
}

saved_open_turn turn_history::make_saved_open_turn() const {
    auto open = turn_.to_saved_open_turn();
    open.filler = filler_;
    open.is_given = is_given_;
    open.kept_messages = make_turn_messages().size();
    return open;
}

}  // namespace tandem::conversations
