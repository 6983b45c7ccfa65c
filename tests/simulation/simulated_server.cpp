#include "simulation/simulated_server.hpp"

#include "text/utf8.hpp"

#include <algorithm>
#include <array>

namespace tandem::test {
namespace {

constexpr wire::token_id first_reply_id = 1000;

// What replies are made of: words, marks, lines, characters of two, three and four bytes.
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

simulated_model::simulated_model(rng& random)
    : prompt_("prompt " + std::to_string(pick(random, 0, 9))), text_(random_text(random)) {
    const int longest = pick(random, 1, 9);
    for (std::size_t at = 0; at < text_.size();) {
        const auto bytes = static_cast<std::size_t>(pick(random, 1, longest));
        tokens_.push_back({first_reply_id + static_cast<wire::token_id>(tokens_.size()),
                           text_.substr(at, bytes)});
        at += bytes;
    }
}

std::optional<std::size_t> simulated_model::position_of(
    const std::vector<wire::token_id>& ids) const {
    const auto start = prompt_ids();
    if (ids.size() < start.size() || ids.size() > start.size() + tokens_.size()) return {};
    if (!std::equal(start.begin(), start.end(), ids.begin())) return {};
    const auto count = ids.size() - start.size();
    for (std::size_t i = 0; i < count; ++i)
        if (ids[start.size() + i] != tokens_[i].id) return {};
    return count;
}

std::optional<std::size_t> simulated_model::position_of(std::string_view text) const {
    if (!text.starts_with(prompt_)) return {};
    text.remove_prefix(prompt_.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i <= tokens_.size(); ++i) {
        if (at == text.size() && text_.starts_with(text)) return i;
        if (i < tokens_.size()) at += tokens_[i].bytes.size();
    }
    return {};
}

std::vector<wire::token_id> simulated_model::ids_of(std::string_view piece) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < tokens_.size(); at += tokens_[i].bytes.size(), ++i) {
        if (std::string_view(text_).substr(at, piece.size()) != piece) continue;
        std::vector<wire::token_id> ids;
        std::size_t bytes = 0;
        for (auto j = i; bytes < piece.size(); ++j) {
            ids.push_back(tokens_[j].id);
            bytes += tokens_[j].bytes.size();
        }
        if (bytes == piece.size()) return ids;
    }
    return {};
}

std::vector<wire::token_event> events_from(const simulated_model& model, std::size_t position,
                                           int n_predict, int prompt_tokens) {
    std::vector<wire::token_event> events;
    std::string withheld;
    int predicted = 0;
    for (; position < model.tokens().size() && predicted != n_predict; ++position) {
        withheld += model.tokens()[position].bytes;
        ++predicted;
        if (text::incomplete_suffix(withheld) > 0) continue;
        events.push_back(token_event(std::move(withheld), {model.tokens()[position].id}, predicted,
                                     prompt_tokens));
        withheld.clear();
    }
    if (predicted == n_predict) {
        events.push_back(final_event(wire::stop_type::limit, predicted, prompt_tokens));
        return events;
    }
    events.push_back(token_event("", {2}, predicted + 1, prompt_tokens));
    events.push_back(final_event(wire::stop_type::eos, predicted + 1, prompt_tokens));
    return events;
}

}  // namespace tandem::test
