#include "cluster/lending_message.hpp"

#include "base/parse_number.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tandem::cluster {
namespace {

constexpr std::string_view turn = "turn";
constexpr std::string_view continuation = "continuation";

std::vector<std::string_view> split_words(std::string_view text) {
    constexpr std::size_t most = 6;
    std::vector<std::string_view> words;
    while (!text.empty() && words.size() < most) {
        const auto end = std::min(text.find(' '), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

std::optional<duration> to_ms(std::string_view word) {
    constexpr std::int64_t longest = 1'000'000'000'000;
    const auto ms = parse_number<std::int64_t>(word);
    if (!ms || *ms < -longest || *ms > longest) return std::nullopt;
    return std::chrono::milliseconds(*ms);
}

std::optional<lending_message> read_wish(lending_message m, std::string_view kind,
                                         std::string_view due_in) {
    const auto due = to_ms(due_in);
    if (!due || (kind != turn && kind != continuation)) return std::nullopt;
    m.kind = lending_message::kind::wish;
    if (kind == continuation) m.wished_for = slots::request_kind::continuation;
    m.due_in = *due;
    return m;
}

std::optional<lending_message> read_lent(lending_message m, std::string_view slot,
                                         std::string_view number, std::string_view unused) {
    const auto place = parse_number<std::int64_t>(slot);
    const auto loan_number = parse_number<std::int64_t>(number);
    const auto unused_for = to_ms(unused);
    if (!place || *place < 0 || *place > max_slot || !loan_number || *loan_number < 0 ||
        !unused_for)
        return std::nullopt;
    m.kind = lending_message::kind::lent;
    m.lent.slot = static_cast<int>(*place);
    m.lent.number = static_cast<cluster::loan_number>(*loan_number);
    if (*unused_for >= duration{}) m.lent.unused_for = *unused_for;
    return m;
}

}  // namespace

std::string_view to_message_word(slots::request_kind kind) noexcept {
    return kind == slots::request_kind::continuation ? continuation : turn;
}

std::optional<lending_message> parse_lending_message(std::string_view text) {
    const auto words = split_words(text);
    if (words.size() < 2 || words[1].empty()) return std::nullopt;
    lending_message m{.gateway = std::string(words[1])};
    if (words[0] == "end" && words.size() == 2) return m;
    if (words[0] == "wish" && words.size() == 4) return read_wish(m, words[2], words[3]);
    if (words[0] == "lent" && words.size() == 5) return read_lent(m, words[2], words[3], words[4]);
    return std::nullopt;
}

}  // namespace tandem::cluster
