#pragma once

#include "gateway/voice/voice_actions.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// The texts of a turn that the model reads or the voice speaks, as views into the turn.
std::vector<std::string_view> collect_texts(const voice_turn& turn);

/// Collects the prompts of one session for the audit log: the client's texts since the previous
/// reply. Keeps at most 64 turns, and only slightly more than `max_audit_prompt_bytes`. Pure.
class voice_audit_prompts {
 public:
    void record_turn(const voice_turn& turn);
    /// The server has generated a draft of the reply to the turn's last message.
    void record_draft(const voice_turn& turn);
    /// The reply to this turn begins. Later turns may already be recorded, because turns may be
    /// permitted out of order.
    void begin_reply(std::uint64_t number);
    /// The texts of the ended reply's prompt; nullopt if there are none.
    std::optional<std::string> take_prompt(bool is_drafted);

 private:
    std::map<std::uint64_t, std::string> said_{};  // by turn number, since the last reply began
    std::size_t said_bytes_ = 0;
    std::string prompt_{};   // of the reply that began last
    std::string drafted_{};  // the words of the last draft
};

}  // namespace tandem::gateway
