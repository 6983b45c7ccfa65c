#include "engine/generation.hpp"

#include "answers/stop_strings.hpp"

#include <algorithm>
#include <utility>

namespace tandem::mock {

generation::generation(const completion_request& request, const std::string& text)
    : keep_all_(!request.stream),
      ignore_eos_(request.ignore_eos),
      n_predict_(request.n_predict),
      stops_(request.stop),
      preserved_(request.preserved_tokens),
      forced_(request.forced_token),
      planned_(tokenize(text, false)) {}

// With ignore_eos, the model repeats itself.
token_id generation::sample() {
    if (forced_) return *forced_;
    if (next_ < planned_.size()) return planned_[next_++];
    if (!ignore_eos_) return eos_token;
    if (planned_.empty()) return '\n';
    next_ = 1;
    return planned_[0];
}

sampled_token generation::generate_token(int room) {
    sampled_token s;
    s.id = sample();
    ++predicted_;
    if (is_shown(s.id)) unsent_ += get_token_bytes(s.id);
    if (ends_inside_character(unsent_)) {
        s.has_event = false;
    } else {
        s.content = take_sendable_text(s.id);
    }
    if (s.content.find('\n') != std::string::npos) has_new_line_ = true;
    if (keep_all_) {
        text_ += s.content;
        tokens_.push_back(s.id);
    }
    check_limits(s.id, room);
    // When a stream ends at a limit, held-back text is lost; a non-streamed response includes it.
    if (finished_ && keep_all_) text_ += unsent_;
    return s;
}

bool generation::is_shown(token_id id) const {
    return !is_special(id) ||
           std::find(preserved_.begin(), preserved_.end(), get_token_bytes(id)) != preserved_.end();
}

std::string generation::take_sendable_text(token_id id) {
    if (const auto match = find_stop_string(unsent_, stops_)) {
        unsent_.resize(match->position);
        stopping_word_ = match->word;
        end(stop_kind::word);
    } else if (id != eos_token && may_become_stop(unsent_, stops_)) {
        return {};
    }
    return std::exchange(unsent_, {});
}

void generation::check_limits(token_id id, int room) {
    if (room <= 1) {
        truncated_ = true;
        end(stop_kind::limit);
    } else if (!finished_ && n_predict_ >= 0 && predicted_ >= n_predict_) {
        end(stop_kind::limit);
    }
    if (id == eos_token) end(stop_kind::eos);
}

void generation::end(stop_kind why) {
    stop_ = why;
    finished_ = true;
}

}  // namespace tandem::mock
