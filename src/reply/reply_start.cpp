#include "reply/reply_start.hpp"

#include "loop/clock.hpp"
#include "server/client_core.hpp"
#include "server/going_on.hpp"
#include "transport/tls_failure.hpp"
#include "wire/calls/sendable.hpp"

#include <utility>

namespace tandem::detail {

namespace {

/// A server that has never answered does not come back: where it cannot be reached, the set-up is
/// wrong.
void tell_set_up(failure why, const start_handler& done) {
    const bool is_reached = !is_of_connecting(why.ec);
    why = transport::blame_silent_handshake(std::move(why));
    done(why.ec, why.diag, {.is_hopeless = !is_reached});
}

// The core keeps what waits for an answer, so that must not keep the core.
void start_there(const std::shared_ptr<client_core>& core, reply_origin origin,
                 start_handler done) {
    if (const auto why = core->refuses(now())) return done(why->ec, why->diag, {});
    core->prepare([weak = std::weak_ptr(core), origin = std::move(origin), done = std::move(done)](
                      error_code ec, const diagnostics& diag, const server_props&) {
        const auto known = weak.lock();
        if (ec && known) {
            known->request_failed(ec);
            if (!known->keeper().was_server_met()) return tell_set_up({ec, diag}, done);
        }
        done(ec, diag, {.core = known, .origin = origin});
    });
}

}  // namespace

reply_source source_at(std::shared_ptr<client_core> core, std::string prompt) {
    return {.start =
                [core, prompt = std::move(prompt)](reply_shell&, const start_handler& done) {
                    if (const auto why = wire::refuse_prompt(prompt))
                        return done(why->ec, why->diag, {});
                    start_there(core, {.prompt = {.text = prompt}}, done);
                },
            .go_on = [core](reply_shell&, const failure&,
                            const start_handler& done) { start_there(core, {}, done); }};
}

}  // namespace tandem::detail
