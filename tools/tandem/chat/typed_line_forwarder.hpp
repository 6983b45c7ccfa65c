#pragma once

#include "tandem/conversation.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <string>

namespace tandem::command {

/// Passes a line to the conversation after each change while the line is being typed. After a
/// pause, also requests the draft of a reply. Runs on one thread.
class typed_line_forwarder {
 public:
    static constexpr auto pause_before_draft = std::chrono::milliseconds(700);

    explicit typed_line_forwarder(boost::asio::any_io_executor executor) : pause_(executor) {}

    /// Call this when the line has changed. `talk` must exist until stop() is called. `options`:
    /// the options that the reply to the line will have.
    void on_line_changed(conversation& talk, const std::string& line,
                         const generation_options& options);
    /// Requests no more drafts until the next change.
    void stop();

 private:
    boost::asio::steady_timer pause_;
    int change_ = 0;
};

}  // namespace tandem::command
