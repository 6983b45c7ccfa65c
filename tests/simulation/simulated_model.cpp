#include "simulation/simulated_model.hpp"

#include "text/characters/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::test {
namespace {

constexpr wire::token_id first_reply_id = 1000;
constexpr wire::token_id vocabularies_apart = 7;

wire::token_id in_vocabulary(wire::token_id id, int vocabulary) {
    return id + vocabulary * vocabularies_apart;
}

// The parts of replies: words, punctuation, line breaks, characters of two, three and four bytes.
constexpr std::array<std::string_view, 26> parts{" the",
                                                 " house",
                                                 " is",
                                                 " 3",
                                                 ".",
                                                 ".",
                                                 "!",
                                                 "?",
                                                 ",",
                                                 ";",
                                                 "...",
                                                 "\"",
                                                 ")",
                                                 "\n",
                                                 " ",
                                                 " Dr",
                                                 " caf\xC3\xA9",
                                                 " \xE4\xBD\xA0",
                                                 "\xE5\xA5\xBD",
                                                 "\xE3\x80\x82",
                                                 " \xF0\x9F\x98\x80",
                                                 " antidisestablishment",
                                                 " I",
                                                 " (",
                                                 "'s",
                                                 " 14"};

std::string random_text(rng& random) {
    std::string text;
    for (int n = pick(random, 0, 80); n > 0; --n)
        text +=
            parts[static_cast<std::size_t>(pick(random, 0, static_cast<int>(parts.size()) - 1))];
    return text;
}

// Some stop words begin like parts of replies, so that the server withholds that text and sends it
// later.
std::string random_stop_word(rng& random) {
    constexpr std::array<std::string_view, 6> words{" the house", "\n\n",          ". 3",
                                                    "'s 14",      " caf\xC3\xA9!", "..."};
    if (chance(random, 0.7)) return {};
    return std::string(words[static_cast<std::size_t>(pick(random, 0, 5))]);
}

wire::token_event token_event(std::string text, std::vector<wire::token_id> ids, int predicted,
                              int prompt_tokens) {
    wire::token_event e;
    e.content = std::move(text);
    e.tokens = std::move(ids);
    e.predicted = predicted;
    e.prompt_tokens = prompt_tokens;
    e.has_timings = true;
    e.timings.evaluated = prompt_tokens;
    return e;
}

wire::token_event final_event(wire::stop_type stop, int predicted, int prompt_tokens) {
    auto e = token_event("", {}, predicted, prompt_tokens);
    e.what = wire::token_event::kind::final;
    e.stop = stop;
    return e;
}

}  // namespace

simulated_model::simulated_model(rng& random, std::string prompt)
    : prompt_(std::move(prompt)),
      text_(random_text(random)),
      stop_word_(random_stop_word(random)),
      context_(chance(random, 0.1) ? pick(random, 3, 60) : 4096) {
    if (stop_word_.empty() && chance(random, 0.2))
        text_ += (chance(random, 0.5) ? "\n" : "") + std::string(call_mark) + random_text(random);
    const int longest = pick(random, 1, 9);
    for (std::size_t at = 0; at < text_.size();) {
        const auto bytes = static_cast<std::size_t>(pick(random, 1, longest));
        tokens_.push_back({first_reply_id + static_cast<wire::token_id>(tokens_.size()),
                           text_.substr(at, bytes)});
        at += bytes;
    }
}

std::vector<wire::token_id> simulated_model::prompt_ids(int vocabulary) const {
    const auto first = in_vocabulary(1, vocabulary);
    return {first, first + 1, first + 2};
}

// No vocabulary has the same ids for the prompt and for the reply, and no two vocabularies have the
// same prompt ids.
std::string simulated_model::text_of(std::span<const wire::token_id> ids, int vocabulary) const {
    std::string text;
    for (const auto id : ids) {
        const auto own = in_vocabulary(id, -vocabulary);
        const auto place = static_cast<std::size_t>(own - first_reply_id);
        if (own == 1)
            text += prompt_;
        else if (own >= first_reply_id && place < tokens_.size())
            text += tokens_[place].bytes;
        else if (own < 1 || own > 3)
            text += " other";
    }
    return text;
}

std::optional<model_position> simulated_model::position_of(std::span<const wire::token_id> ids,
                                                           int vocabulary) const {
    const auto start = prompt_ids(vocabulary);
    if (ids.size() < start.size() || ids.size() > start.size() + tokens_.size()) return {};
    if (!std::equal(start.begin(), start.end(), ids.begin())) return {};
    const auto count = ids.size() - start.size();
    for (std::size_t i = 0; i < count; ++i)
        if (ids[start.size() + i] != in_vocabulary(tokens_[i].id, vocabulary)) return {};
    return model_position{count};
}

bool simulated_model::stop_word_follows(std::size_t at) const {
    return !stop_word_.empty() && std::string_view(text_).substr(at).starts_with(stop_word_);
}

std::optional<model_position> simulated_model::position_of(std::string_view text) const {
    if (!text.starts_with(prompt_)) return {};
    text.remove_prefix(prompt_.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i <= tokens_.size(); ++i) {
        if (at == text.size() && text_.starts_with(text)) return model_position{i};
        if (i == tokens_.size()) break;
        const auto next = at + tokens_[i].bytes.size();
        if (at < text.size() && text.size() < next && stop_word_follows(text.size()))
            return model_position{i, text.size() - at};
        at = next;
    }
    return {};
}

std::size_t simulated_model::bytes_before(model_position at) const {
    std::size_t bytes = at.bytes;
    for (std::size_t i = 0; i < at.tokens; ++i) bytes += tokens_[i].bytes.size();
    return bytes;
}

std::vector<wire::token_id> simulated_model::ids_of(std::string_view piece, int vocabulary) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < tokens_.size(); at += tokens_[i].bytes.size(), ++i) {
        if (std::string_view(text_).substr(at, piece.size()) != piece) continue;
        std::vector<wire::token_id> ids;
        std::size_t bytes = 0;
        for (auto j = i; bytes < piece.size(); ++j) {
            ids.push_back(in_vocabulary(tokens_[j].id, vocabulary));
            bytes += tokens_[j].bytes.size();
        }
        if (bytes == piece.size()) return ids;
    }
    return {};
}

namespace {

bool ends_with_start_of(std::string_view text, std::string_view word) {
    for (auto n = std::min(text.size(), word.size()); n > 0; --n)
        if (text.ends_with(word.substr(0, n))) return true;
    return false;
}

// The server's processing of one request.
class generation {
 public:
    generation(const simulated_model& model, int prompt_tokens, int n_predict)
        : model_(model), prompt_tokens_(prompt_tokens) {
        const int room = model.context() - prompt_tokens;
        limit_ = n_predict < 0 ? room : std::min(n_predict, room);
    }

    bool at_limit() const { return predicted_ == limit_; }

    // Returns false if the token completes the stop word.
    bool add(const model_token& token) {
        unsent_ += token.bytes;
        ++predicted_;
        if (text::incomplete_suffix(unsent_) > 0) return true;
        const auto& stop = model_.stop_word();
        const auto at = stop.empty() ? std::string::npos : unsent_.find(stop);
        if (at != std::string::npos) {
            unsent_.resize(at);
            send(token.id);
            return false;
        }
        const bool hold = !stop.empty() && ends_with_start_of(unsent_, stop);
        send(token.id, hold);
        return true;
    }

    // Withheld text is sent with the end token, but not at a limit.
    std::vector<wire::token_event> ended(wire::stop_type why) {
        if (why == wire::stop_type::eos) {
            ++predicted_;
            send(end_token);
        }
        events_.push_back(final_event(why, predicted_, prompt_tokens_));
        return std::move(events_);
    }

 private:
    static constexpr wire::token_id end_token = 2;

    void send(wire::token_id id, bool hold = false) {
        events_.push_back(
            token_event(hold ? "" : std::exchange(unsent_, {}), {id}, predicted_, prompt_tokens_));
    }

    const simulated_model& model_;
    int prompt_tokens_;
    int limit_;
    int predicted_ = 0;
    std::string unsent_;
    std::vector<wire::token_event> events_;
};

}  // namespace

std::vector<wire::token_event> events_from(const simulated_model& model, model_position position,
                                           int n_predict, int vocabulary) {
    const auto prompt_tokens = static_cast<int>(model.prompt_ids(0).size() + position.tokens);
    if (prompt_tokens >= model.context()) return {};
    generation g(model, prompt_tokens, n_predict);
    for (auto i = position.tokens; i < model.tokens().size() && !g.at_limit(); ++i) {
        auto token = model.tokens()[i];
        token.id = in_vocabulary(token.id, vocabulary);
        token.bytes.erase(0, std::exchange(position.bytes, 0));
        if (!g.add(token)) return g.ended(wire::stop_type::word);
    }
    return g.ended(g.at_limit() ? wire::stop_type::limit : wire::stop_type::eos);
}

}  // namespace tandem::test
