#include "cluster/lending_commands.hpp"

#include "cluster/lending_message.hpp"

#include <algorithm>
#include <chrono>

namespace tandem::cluster {
namespace {

using std::chrono::milliseconds;

std::string to_ms_text(duration d) {
    return std::to_string(std::chrono::duration_cast<milliseconds>(d).count());
}

void append(std::vector<std::string>& words, const reported_loan& l) {
    words.push_back(std::to_string(l.slot));
    words.push_back(std::to_string(l.number));
    words.push_back(l.unused_for ? to_ms_text(*l.unused_for) : "-1");
}

bool is_integer(const store_answer& a) {
    return a.kind == answer_kind::integer;
}

std::optional<loan> read_loan(const store_answer* fields) {
    for (int i = 0; i < 4; ++i)
        if (!is_integer(fields[i])) return std::nullopt;
    const auto slot = fields[0].number;
    if (slot < 0 || slot > max_slot || fields[1].number < 0) return std::nullopt;
    loan l{.slot = static_cast<int>(slot), .number = static_cast<loan_number>(fields[1].number)};
    if (fields[2].number >= 0) l.unused_for = milliseconds(fields[2].number);
    l.is_doubtful = fields[3].number != 0;
    return l;
}

}  // namespace

std::vector<std::string> make_claim_arguments(const lending_names& names, time_point now, int slots,
                                              const share_action::claim& c) {
    std::vector<std::string> words{names.gateway, names.channel, std::to_string(slots)};
    words.push_back(c.wish ? std::string(to_message_word(c.wish->kind)) : "");
    // `never` would overflow.
    constexpr duration farthest = std::chrono::hours(24);
    words.push_back(
        c.wish ? to_ms_text(std::clamp(c.wish->due, now - farthest, now + farthest) - now) : "0");
    words.reserve(words.size() + 3 * c.held.size());
    for (const auto& l : c.held) append(words, l);
    return words;
}

std::vector<std::string> make_offer_arguments(const lending_names& names, const reported_loan& l,
                                              bool is_leaving) {
    std::vector<std::string> words{names.gateway, names.channel};
    append(words, l);
    words.push_back(is_leaving ? "1" : "0");
    return words;
}

std::optional<std::vector<loan>> read_loans(const std::optional<store_answer>& answer) {
    constexpr std::size_t fields = 4;
    if (!answer || answer->kind != answer_kind::list || answer->items.size() % fields != 0)
        return std::nullopt;
    std::vector<loan> loans;
    loans.reserve(answer->items.size() / fields);
    for (std::size_t i = 0; i < answer->items.size(); i += fields) {
        const auto l = read_loan(&answer->items[i]);
        if (!l) return std::nullopt;
        loans.push_back(*l);
    }
    return loans;
}

std::optional<lease_renewal> read_lease_renewal(const std::optional<store_answer>& answer) {
    if (!answer || !answer->is_list_of(5)) return std::nullopt;
    const auto& items = answer->items;
    if (!std::all_of(items.begin(), items.begin() + 3, is_integer)) return std::nullopt;
    lease_renewal read{.was_known = items[0].number == 1};
    read.is_duplicate = items[0].number < 0;
    read.is_one_missing = items[1].number > 0;
    read.members = items[2].number;
    for (const auto& server : items[3].items) read.drained.insert(server.text);
    read.elsewhere = parse_load(items[4].text);
    return read;
}

}  // namespace tandem::cluster
