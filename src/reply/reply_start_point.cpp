#include "reply/reply_start_point.hpp"

#include "loop/clock.hpp"
#include "server/retry_policy.hpp"
#include "server/server_link.hpp"
#include "transport/tls_failure.hpp"
#include "wire/calls/prompt_check.hpp"

#include <utility>

namespace tandem::detail {

namespace {

/// Reports a connect failure of a server that has never answered. Such a server is not expected to
/// recover: the set-up is wrong.
void tell_set_up(failure why, const start_handler& done) {
    const bool is_reached = !is_connect_error(why.ec);
    why = transport::reclassify_handshake_timeout(std::move(why));
    done(why.ec, why.diag, {.is_permanent = !is_reached});
}

// The core stores the callbacks that wait for an answer, so they must not own the core.
void start_there(const std::shared_ptr<server_link>& core, reply_origin origin,
                 start_handler done) {
    if (const auto why = core->admit_request(now())) return done(why->ec, why->diag, {});
    core->load_props(
        [weak = std::weak_ptr(core), origin = std::move(origin), done = std::move(done)](
            error_code ec, const diagnostics& diag, const server_props&) {
            const auto known = weak.lock();
            if (ec && known) {
                known->request_failed(ec);
                if (!known->slots().were_props_read_before()) return tell_set_up({ec, diag}, done);
            }
            done(ec, diag, {.core = known, .origin = origin});
        });
}

}  // namespace

reply_server_source make_single_server_source(std::shared_ptr<server_link> core,
                                              std::string prompt) {
    return {.start =
                [core, prompt = std::move(prompt)](reply_shell&, const start_handler& done) {
                    if (const auto why = wire::check_raw_prompt(prompt))
                        return done(why->ec, why->diag, {});
                    start_there(core, {.prompt = {.text = prompt}}, done);
                },
            .go_on = [core](reply_shell&, const failure&,
                            const start_handler& done) { start_there(core, {}, done); }};
}

}  // namespace tandem::detail
