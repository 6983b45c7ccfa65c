#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/policy/policy_verdict.hpp"
#include "gateway/sessions/gateway_options.hpp"
#include "gateway/telemetry/gateway_metrics.hpp"
#include "transport/transport.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tandem::gateway {

class policy_call;
/// One check under way: whoever lets go of it ends it, and is told nothing.
using policy_check = std::shared_ptr<policy_call>;

/// Asks somebody outside whether prompts may pass, each over a connection of its own. On the loop
/// of its executor; it must outlive its checks.
class policy_desk {
 public:
    /// What the client is told; nothing if the prompt may pass.
    using handler = std::function<void(std::optional<api_error>)>;

    /// `o` must be free of faults; its servers' certificates and proxy hold here, too, and its key
    /// does not. `metrics` must outlive the object.
    policy_desk(const boost::asio::any_io_executor& executor, const gateway_options& o,
                gateway_metrics& metrics);

    /// There is somebody to ask.
    bool is_on() const noexcept { return transport_ != nullptr; }
    /// Precondition: is_on(). `told` is called once, within the time limit, and not from inside
    /// ask().
    policy_check ask(const policy_question& q, handler told);

 private:
    std::optional<api_error> judge(const std::string& request_id, const policy_verdict& v);
    void warn(const std::string& request_id, const std::string& why) const;

    boost::asio::any_io_executor executor_;
    policy_options options_;
    logger log_;
    gateway_metrics& metrics_;
    std::unique_ptr<transport::http_transport> transport_;
};

}  // namespace tandem::gateway
