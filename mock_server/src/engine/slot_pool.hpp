#pragma once

#include "answers/adapters.hpp"
#include "answers/tokenizer.hpp"
#include "tandem_mock/observations.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tandem::mock {

using task_id = std::uint64_t;

/// One slot: the tokens in its cache, and its task.
struct slot {
    int id = 0;
    std::vector<token_id> tokens;
    /// Number of tokens at each checkpoint, ascending; only for a memory that cannot roll back.
    std::vector<int> checkpoints;
    /// Adapter scales of the latest request.
    adapter_scales lora;
    std::optional<task_id> task;
    std::optional<time_point> last_used;
    /// When the client of the latest task disconnected.
    std::optional<time_point> cut_at;
    /// Number of the latest task, for /slots.
    std::optional<task_id> last_task;

    bool is_processing() const { return task.has_value(); }
    /// Discards all tokens.
    void clear();
};

/// Length of the common prefix.
std::size_t common_prefix(const std::vector<token_id>& a, const std::vector<token_id>& b);

/// How many tokens of a slot a prompt may reuse if the model can roll back to any token: the common
/// prefix, but never the prompt's last token, which is always evaluated.
std::size_t reusable_tokens(const std::vector<token_id>& held, const std::vector<token_id>& prompt);

/// Whether this many common tokens are more than a tenth of the prompt (--slot-prompt-similarity).
bool is_similar(std::size_t common, const std::vector<token_id>& prompt);

/// The slots, and their assignment to requests.
class slot_pool {
 public:
    explicit slot_pool(int count);

    std::vector<slot>& all() { return slots_; }
    const std::vector<slot>& all() const { return slots_; }

    /// Like the server, maps an id that is out of range to a slot instead of failing.
    slot& slot_at_wrapped_id(int id_slot);
    /// The requested slot; null if it is busy. For -1, the idle slot whose tokens are most similar
    /// to the prompt or, if none is similar, the idle slot that has been unused for the longest
    /// time; null if all slots are busy.
    slot* find_idle(int id_slot, const std::vector<token_id>& prompt);

 private:
    slot* find_most_similar(const std::vector<token_id>& prompt);
    slot* find_least_recently_used();

    std::vector<slot> slots_;
};

}  // namespace tandem::mock
