#include "chat/typed_line_forwarder.hpp"

#include "text/characters/white_space.hpp"

#include <memory>

namespace tandem::command {

void typed_line_forwarder::on_line_changed(conversation& talk, const std::string& line,
                                           const generation_options& options) {
    stop();
    if (text::is_all_white_space(line)) return talk.drop_draft();
    talk.hearing(line);
    pause_.expires_after(pause_before_draft);
    pause_.async_wait([this, &talk, line, options, change = change_](const error_code&) {
        // cancel() does not affect a handler that is already queued, so the line may have changed
        // since.
        if (change != change_) return;
        // Ignores a failure of the draft, because the reply reports the error.
        const auto diag = std::make_shared<diagnostics>();
        talk.async_draft(line, options, *diag, [diag](const error_code&, int) {});
    });
}

void typed_line_forwarder::stop() {
    ++change_;
    pause_.cancel();
}

}  // namespace tandem::command
