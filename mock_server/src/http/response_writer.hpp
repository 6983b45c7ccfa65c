#pragma once

#include "engine/task.hpp"
#include "http/http_message.hpp"
#include "tandem_mock/fault.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::mock {

/// The next action of a connection.
struct socket_action {
    enum class kind {
        write,   ///< bytes
        pause,   ///< for `duration`; 0 = until the client disconnects
        finish,  ///< the response is complete
        close,   ///< FIN
        reset,   ///< RST
    };
    kind what = kind::write;
    std::string bytes;
    std::chrono::milliseconds duration{0};
};

/// Serializes one response, and plays the faults that affect its sending.
class response_writer {
 public:
    /// `f` must not be a fault of the engine; see is_engine_fault().
    response_writer(bool keep_alive, std::optional<fault> f);

    /// Writes a non-streamed response.
    void write_reply(const http_reply& r);
    /// These functions write the headers, the events and the end of a stream.
    void begin_event_stream();
    void write_event(std::string_view payload, int predicted, bool is_final);
    void end_event_stream();

    /// Actions since the last call.
    std::vector<socket_action> take_actions();
    /// A fault ended the response; no further output follows.
    bool is_broken() const { return broken_; }

 private:
    std::optional<std::size_t> find_fault_position(std::string_view payload, int predicted,
                                                   bool is_final) const;
    void reply_with_fault(const std::string& head, const std::string& body);
    void play_fault();
    void write(std::string bytes);
    void write_chunk(std::string_view payload);
    void add_action(socket_action::kind what, std::chrono::milliseconds duration = {});
    void end_broken(socket_action::kind what);

    const bool keep_alive_;
    std::optional<fault> fault_;
    std::vector<socket_action> actions_;
    std::int64_t sent_ = 0;  // bytes of the body
    bool streaming_ = false;
    bool broken_ = false;
};

}  // namespace tandem::mock
