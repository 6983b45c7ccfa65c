#pragma once

#include "gateway/answers/finished_answer.hpp"
#include "gateway/json/api_error.hpp"

#include "tandem/result.hpp"
#include "tandem/server.hpp"

#include <string>
#include <string_view>

namespace tandem::gateway {

/// Serializes an answer as server-sent events. Each function appends the bytes to send to `out`.
/// Once the stream has ended, it appends nothing. Throws only std::bad_alloc. Text is converted to
/// valid UTF-8.
class answer_writer {
 public:
    virtual ~answer_writer() = default;

    /// Text of the answer. Empty text creates no event.
    virtual void write_text_piece(std::string_view text, std::string& out) = 0;
    virtual void write_reasoning_piece(std::string_view text, std::string& out) = 0;
    void write_call(const tool_call& whole, std::string& out) {
        write_call_piece(whole, out);
        end_call(out);
    }
    /// A piece of a call. The first piece has the call's id and name; all pieces together contain
    /// the call's arguments. Call end_call() before writing another part of the answer.
    virtual void write_call_piece(const tool_call& piece, std::string& out) = 0;
    virtual void end_call(std::string& out) = 0;
    /// Ends the stream. An interrupted or failed reply ends with an error, so that clients do not
    /// mistake it for a complete reply.
    virtual void end(finish_reason reason, const answer_usage& usage, std::string& out) = 0;
    /// Ends the stream with an error. If nothing was sent yet, do not call this, but respond with
    /// the error's HTTP status.
    virtual void end_with_error(const api_error& error, std::string& out) = 0;
    /// An SSE comment, which keeps proxies and clients from closing an idle stream.
    virtual void write_keep_alive(std::string& out) const = 0;
};

}  // namespace tandem::gateway
