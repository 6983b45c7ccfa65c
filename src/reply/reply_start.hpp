#pragma once

#include "base/failure.hpp"
#include "reply/machine/reply_origin.hpp"
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
    /// With an error: trying again is of no use.
    bool is_hopeless = false;
};

/// Called once on the strand, with an error or a start; may not keep the reply alive.
using start_handler = std::function<void(error_code, const diagnostics&, reply_start)>;
/// Where a reply gets its servers from. Both are called on the strand, one at a time.
struct reply_source {
    /// Where the reply starts, and what from; asked again if that failed and may work later.
    std::function<void(reply_shell&, start_handler)> start{};
    /// Where it continues after its server failed so. The start that is given has no origin, except
    /// a reply that has no text yet it may have a prompt, which replaces the one before.
    std::function<void(reply_shell&, const failure&, start_handler)> go_on{};
};

/// Replies to `prompt` at this server, once its /props are known.
reply_source source_at(std::shared_ptr<client_core> core, std::string prompt);

/// Receives the events of a reply on the strand.
class reply_listener {
 public:
    /// A request of the reply failed at this server, before anything is done about it.
    virtual void request_failed(const std::shared_ptr<client_core>& /*at*/,
                                const failure& /*why*/) {}
    virtual void handed_over(const chunk& c) = 0;
    /// The consumer said so; the id may be stale or foreign.
    virtual void continued(chunk_id id) = 0;
    /// How far the listener got into a chunk; as conversation's functions of these names.
    virtual void heard(chunk_id /*id*/, std::size_t /*characters*/) {}
    virtual void heard_share(chunk_id /*id*/, double /*share*/) {}
    /// Once, after all calls but the next. An error may be of another server than the reply's last
    /// one.
    virtual void ended(std::uint64_t reply, const reply_result& result, reply_rest rest) = 0;
    /// After ended(): the last chunk that was handed over did not reach its handler, as the reply
    /// was interrupted on the way.
    virtual void not_delivered(std::uint64_t /*reply*/) {}

 protected:
    ~reply_listener() = default;
};

}  // namespace tandem::detail
