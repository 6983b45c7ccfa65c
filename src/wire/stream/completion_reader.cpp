#include "wire/stream/completion_reader.hpp"

#include "wire/json/wire_limits.hpp"
#include "wire/stream/server_error.hpp"
#include "wire/stream/token_event_decoder.hpp"

#include <fmt/format.h>

namespace tandem::wire {
namespace {

failure stream_failure(const token_event& event) {
    failure f;
    f.ec = decode_stream_error(event, f.diag);
    return f;
}

}  // namespace

void completion_reader::feed(std::string_view bytes) {
    if (http_status_ == http_ok) return sse_.feed(bytes);
    error_body_.append(bytes.substr(0, max_error_bytes - error_body_.size()));
}

bool completion_reader::next(token_event& out) {
    sse_event event;
    while (!fault_ && sse_.next(event)) {
        events_came_ = true;
        if (read(event, out)) return true;
    }
    if (!fault_ && sse_.error())
        fault_ = {sse_.error(),
                  {.client_message =
                       fmt::format("the server sent an event of over {} bytes", max_event_bytes)}};
    return false;
}

bool completion_reader::read(const sse_event& event, token_event& out) {
    if (event.what != sse_event::kind::message || is_done_marker(event.data)) return false;
    if (const auto ec = decode_token_event(event.data, out))
        fault_ = {ec,
                  {.client_message = fmt::format(
                       "an event of {} bytes in the stream cannot be read", event.data.size())}};
    else if (out.what == token_event::kind::error)
        fault_ = stream_failure(out);
    else
        text_.join(out);
    return !fault_;
}

failure completion_reader::make_end_failure(error_code ec, const diagnostics& diag) const {
    // If the server sent an error, its message is more useful than `ec`, which only tells that the
    // answer broke off.
    if (http_status_ != 0 && http_status_ != http_ok) {
        failure f;
        f.ec = decode_error(completion_path, http_status_, error_body_, f.diag);
        return f;
    }
    if (ec) return {ec, diag};
    if (!events_came_)
        return {errc::bad_response,
                {.client_message = fmt::format("{} did not answer with an event stream; check that "
                                               "the URL is that of a llama-server",
                                               completion_path)}};
    return {
        errc::stream_incomplete,
        {.client_message =
             "the stream ended without its final event; the server may have died: check its log"}};
}

}  // namespace tandem::wire
