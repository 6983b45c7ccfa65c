#pragma once

#include "base/failure.hpp"
#include "reply/machine/reply_remainder.hpp"
#include "reply/machine/voice_pace.hpp"
#include "server/server_calls.hpp"
#include "server/template_marks.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/chunk.hpp"
#include "tandem/error.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {

class server_link;
class reply_shell;

/// The server on which a reply runs, and what it starts from.
struct reply_start_point {
    /// Null for a reply that is not generated.
    std::shared_ptr<server_link> link{};
    reply_origin origin{};
    /// The owner of the slots if it is not the reply itself, and whether a slot has held the
    /// owner's text before.
    slots::owner_id owner = slots::nobody;
    bool was_here = false;
    /// The pace of the voice in earlier replies.
    voice_pace pace{};
    /// How the server's template marks the words and the calls of the reply; empty for a raw
    /// prompt.
    server::template_marks marks{};
    /// A slot prefilled for the first request.
    std::optional<int> warmed{};
    /// Set with an error if retrying is useless.
    bool is_permanent = false;
};

/// The generated text of a reply that ends with tool calls, and a slot to parse it on.
struct generated_calls {
    int slot = 0;
    std::string_view text{};
    bool reuse_cache = true;                  ///< as in requests to /completion
    std::optional<std::int32_t> end_token{};  ///< as in server::template_marks
};

/// Called once on the strand, with an error or a start. The handler must not own the reply.
using start_handler = std::function<void(error_code, const diagnostics&, reply_start_point)>;
/// Supplies a reply with servers. The functions are called on the strand, one at a time.
struct reply_server_source {
    /// Finds the server and origin of the reply; called again after a failure that may be
    /// temporary.
    std::function<void(reply_shell&, start_handler)> start{};
    /// Finds the server on which the reply continues after this failure. The start's origin is
    /// empty; but if the reply has no text yet, it may contain a prompt, which replaces the
    /// previous one.
    std::function<void(reply_shell&, const failure&, start_handler)> go_on{};
    /// Lets the server parse the generated text on the slot; only for starts with a call mark.
    std::function<server::call_id(const generated_calls& what,
                                  server::server_calls::handler<wire::parsed_reply> done)>
        parse_calls{};
    /// Lets the server generate the calls of a reply again, after this text.
    std::function<server::call_id(wire::begun_call after,
                                  server::server_calls::handler<wire::parsed_reply> done)>
        force_calls{};
};

/// The source of a reply to `prompt` on this server; the reply starts once the server's /props are
/// known.
reply_server_source make_single_server_source(std::shared_ptr<server_link> link,
                                              std::string prompt);

/// Receives the events of a reply on the strand.
class reply_listener {
 public:
    /// A request of the reply failed on this server; called before any reaction to the failure.
    virtual void on_request_failed(const std::shared_ptr<server_link>& /*at*/,
                                   const failure& /*why*/) {}
    virtual void on_handed_over(const chunk& c) = 0;
    /// Replaces ids that calls of earlier replies already have.
    virtual void make_ids_unique(std::vector<tool_call>& /*calls*/) const {}
    /// The reply calls these functions. Called before on_ended(), at most once.
    virtual void on_called(std::uint64_t /*reply*/, std::vector<tool_call> /*calls*/) {}
    /// The consumer has continued. The id may be that of an earlier chunk, or of another reply.
    virtual void on_continued(chunk_id id) = 0;
    /// How much of a chunk the listener heard; see the functions of the same names in conversation.
    virtual void on_heard(chunk_id /*id*/, std::size_t /*characters*/) {}
    virtual void on_heard_share(chunk_id /*id*/, double /*share*/) {}
    /// Called once, after all other calls except on_chunk_not_delivered(). An error may come from a
    /// server other than the last one of the reply.
    virtual void on_ended(std::uint64_t reply, const reply_result& result,
                          reply_remainder rest) = 0;
    /// Called after on_ended() if this chunk, the last one handed over, did not reach its handler,
    /// because the reply was interrupted in the meantime.
    virtual void on_chunk_not_delivered(chunk_id /*id*/) {}

 protected:
    ~reply_listener() = default;
};

}  // namespace tandem::detail
