#include "gateway/sessions/gateway_loop.hpp"

#include "gateway/sessions/gateway_core.hpp"

#include <boost/asio/dispatch.hpp>

#include <utility>

namespace tandem::gateway {

gateway_loop::gateway_loop(gateway_core& g, std::size_t its_number,
                           const boost::asio::any_io_executor& its_executor)
    : core(g),
      number(its_number),
      executor(its_executor),
      outside_policy(std::make_unique<policy_desk>(executor, core.options, core.metrics)),
      voices(*this) {}

// The last one who needs the gateway may be on another loop; a transport is its loop's alone.
gateway_loop::~gateway_loop() {
    if (!outside_policy->is_on()) return;
    boost::asio::dispatch(executor, [desk = std::move(outside_policy)]() mutable { desk.reset(); });
}

std::shared_ptr<gateway_loop> gateway_loop::handle() {
    return {core.shared_from_this(), this};
}

}  // namespace tandem::gateway
