#pragma once

#include "reply/reply_origin.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/chunk.hpp"
#include "tandem/error.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tandem::detail {

class client_core;
class reply_shell;

/// At which server a reply runs, and what it starts from.
struct reply_start {
    std::shared_ptr<client_core> core{};
    reply_origin origin{};
    /// Who uses the slots, where that is not the reply alone, and how many it may have for itself.
    slots::owner_id owner = slots::nobody;
    int lease = 0;
    /// A slot that was prefilled for the first request.
    std::optional<int> warmed{};
};

/// Called once on the strand, with an error or a start; may not keep the reply alive.
using start_handler = std::function<void(error_code, const diagnostics&, reply_start)>;
/// Is asked on the strand when the reply starts, and once at most.
using start_source = std::function<void(reply_shell&, start_handler)>;

/// Starts a reply to `prompt` at this server, once the server has told what it has.
start_source start_at(std::shared_ptr<client_core> core, std::string prompt);

/// Is told on the strand what becomes of a reply.
class reply_listener {
 public:
    virtual void handed_over(const chunk& c) = 0;
    /// The consumer said so; the id may be stale or foreign.
    virtual void continued(chunk_id id) = 0;
    /// Once, after all other calls.
    virtual void ended(std::uint64_t reply, const reply_result& result, reply_rest rest) = 0;

 protected:
    ~reply_listener() = default;
};

}  // namespace tandem::detail
