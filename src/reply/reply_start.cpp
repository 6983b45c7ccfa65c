#include "reply/reply_start.hpp"

#include "reply/client_core.hpp"
#include "wire/sendable.hpp"

#include <utility>

namespace tandem::detail {

start_source start_at(std::shared_ptr<client_core> core, std::string prompt) {
    return [core = std::move(core), prompt = std::move(prompt)](reply_shell&,
                                                                start_handler done) mutable {
        if (const auto why = wire::refuse_prompt(prompt)) return done(why->ec, why->diag, {});
        // The core keeps what waits for an answer, so that must not keep the core.
        core->prepare(
            [weak = std::weak_ptr(core), prompt = std::move(prompt), done = std::move(done)](
                error_code ec, const diagnostics& diag, const server_props&) {
                done(ec, diag, {.core = weak.lock(), .origin = {.prompt = {.text = prompt}}});
            });
    };
}

}  // namespace tandem::detail
