#include "reply/reply_start_point.hpp"

#include "loop/clock.hpp"
#include "server/retry_policy.hpp"
#include "server/server_link.hpp"
#include "transport/tls_failure.hpp"
#include "wire/calls/prompt_check.hpp"

#include <utility>

namespace tandem::detail {

namespace {

/// Reports the failure of a server that has never answered. After a connect failure, retrying is
/// useless, because the setup is wrong.
void report_first_failure(failure why, const start_handler& done) {
    const bool is_reached = !is_connect_error(why.ec);
    why = transport::reclassify_handshake_timeout(std::move(why));
    done(why.ec, why.diag, {.is_permanent = !is_reached});
}

// The link stores the callbacks that wait for an answer, so they must not own the link.
void start_there(const std::shared_ptr<server_link>& link, reply_origin origin,
                 start_handler done) {
    if (const auto why = link->admit_request(now())) return done(why->ec, why->diag, {});
    link->load_props(
        [weak = std::weak_ptr(link), origin = std::move(origin), done = std::move(done)](
            error_code ec, const diagnostics& diag, const server_props&) {
            const auto known = weak.lock();
            if (ec && known) {
                known->on_request_failed({ec, diag});
                if (!known->slots().were_props_read_before())
                    return report_first_failure({ec, diag}, done);
            }
            done(ec, diag, {.link = known, .origin = origin});
        });
}

}  // namespace

reply_server_source make_single_server_source(std::shared_ptr<server_link> link,
                                              std::string prompt) {
    return {.start =
                [link, prompt = std::move(prompt)](reply_shell&, const start_handler& done) {
                    if (const auto why = wire::check_raw_prompt(prompt))
                        return done(why->ec, why->diag, {});
                    start_there(link, {.prompt = {.text = prompt}}, done);
                },
            .go_on = [link](reply_shell&, const failure&,
                            const start_handler& done) { start_there(link, {}, done); }};
}

}  // namespace tandem::detail
