#include "fuzzing.hpp"
#include "os/interruptible_line_reader.hpp"
#include "recording/prompt_file.hpp"
#include "text/characters/utf8.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

// Each line of a prompt file is either a usable dialogue or a fault with a printable message. The
// lines do not depend on the parts in which the bytes arrive at a descriptor.
namespace {

using namespace tandem;
using command::interruptible_line_reader;

bool is_valid(const std::string& text) {
    return text::find_invalid_utf8(text) == std::string::npos;
}

bool is_well_formed(const command::dialogue& d) {
    const bool has_messages = std::ranges::none_of(
        d.messages, [](const chat_message& m) { return m.role.empty() || !is_valid(m.content); });
    const bool says_something = d.prompt || !d.turns.empty() || !d.messages.empty();
    const bool is_one_kind = !d.prompt || (d.turns.empty() && d.messages.empty());
    return has_messages && says_something && is_one_kind && d.replies() >= 1 &&
           (!d.prompt || is_valid(*d.prompt)) && std::ranges::all_of(d.turns, is_valid) &&
           d.max_tokens.value_or(0) >= 0 && d.interrupt_after.value_or(duration{}) >= duration{};
}

void require_read(std::string_view text) {
    const auto file = command::parse_prompts(text);
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    fuzzing::require(file.dialogues.size() <= lines);
    for (const auto& fault : file.faults) {
        fuzzing::require(fault.line >= 1 && fault.line <= lines);
        fuzzing::require(!fault.message.empty() && is_valid(fault.message));
    }
    if (!file.faults.empty()) return;
    std::set<std::string> ids;
    for (const auto& d : file.dialogues) {
        fuzzing::require(ids.insert(d.id).second && !d.id.empty() && is_valid(d.id));
        fuzzing::require(is_well_formed(d));
    }
}

constexpr const char* too_long = "\n";  // stands for a line that is too long

std::vector<std::string> expected_lines(std::string_view text, std::size_t most) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        lines.emplace_back(line.size() > most ? too_long : line);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return lines;
}

/// Writes `text` in parts to a socket that keeps them separate. Nobody reads meanwhile, but the
/// socket has room for about a hundred parts.
void write_in_parts(int fd, std::string_view text, std::size_t seed) {
    while (!text.empty()) {
        const auto part = text.substr(0, 1 + text.size() / 32 + seed % 7);
        fuzzing::require(::write(fd, part.data(), part.size()) > 0);
        text.remove_prefix(part.size());
        seed = seed * 5 + 1;
    }
}

void require_same_lines(std::string_view text, std::size_t most, std::size_t seed) {
    int ends[2];
    fuzzing::require(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    write_in_parts(ends[1], text, seed);
    ::shutdown(ends[1], SHUT_WR);
    constexpr int never_stopped = -1;
    interruptible_line_reader input(ends[0], never_stopped, most);
    std::vector<std::string> lines;
    std::string line;
    using outcome = interruptible_line_reader::outcome;
    for (auto what = input.read_next(line); what != outcome::end; what = input.read_next(line)) {
        fuzzing::require(what == outcome::line || what == outcome::too_long);
        lines.push_back(what == outcome::line ? line : too_long);
    }
    ::close(ends[0]);
    ::close(ends[1]);
    fuzzing::require(lines == expected_lines(text, most));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto most = in.number(255);
    const auto seed = in.number(255);
    require_read(in.rest());
    // System calls are slow, so only some inputs run this check.
    if (seed % 8 == 0) require_same_lines(in.rest(), most, seed / 8);
    return 0;
}
