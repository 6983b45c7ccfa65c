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

/// One slot: the tokens whose state it holds, and who uses it.
struct slot {
    int id = 0;
    std::vector<token_id> tokens;
    /// How many tokens each checkpoint of a memory that cannot roll back is after, rising.
    std::vector<int> checkpoints;
    /// The adapters of the latest request.
    adapter_scales lora;
    std::optional<task_id> task;
    std::optional<time_point> last_used;
    /// When the client of the latest task cut it.
    std::optional<time_point> cut_at;
    /// Number of the latest task; shown by /slots.
    std::optional<task_id> last_task;

    bool is_processing() const { return task.has_value(); }
    /// Forgets all tokens.
    void clear();
};

/// Length of the common beginning.
std::size_t common_prefix(const std::vector<token_id>& a, const std::vector<token_id>& b);

/// How much of what a slot holds a prompt may reuse if the model can roll back to any token: the
/// common beginning, but the prompt's last token is always evaluated.
std::size_t reusable_tokens(const std::vector<token_id>& held, const std::vector<token_id>& prompt);

/// The slots, and which of them a request gets.
class slot_pool {
 public:
    explicit slot_pool(int count);

    std::vector<slot>& all() { return slots_; }
    const std::vector<slot>& all() const { return slots_; }

    /// A wanted slot out of range wraps around; no error.
    slot& wrapped(int id_slot);
    /// The slot for a request, if it is idle: the wanted one; for -1 the one whose tokens are most
    /// like the prompt, else the one unused for longest.
    slot* find_idle(int id_slot, const std::vector<token_id>& prompt);

 private:
    slot* most_similar(const std::vector<token_id>& prompt);
    slot* least_recently_used();

    std::vector<slot> slots_;
};

}  // namespace tandem::mock
