#pragma once

#include "base/time.hpp"
#include "gateway/access/authorizer.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/sessions/gateway_options.hpp"
#include "slots/speech_load.hpp"

#include "tandem/service.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// A model and the service for its servers.
struct served_model {
    std::string name;
    service bots;
    /// The load of the voice sessions, and the time at which the servers were last observed.
    slots::speech_load load{};
    time_point watched_at{};
    /// Whether the gateway has warned that the model thinks although thinking is off.
    bool has_warned_of_thinking = false;
};

/// The models of a gateway, in the order of its options.
class served_models {
 public:
    /// `o` must be free of faults.
    served_models(const boost::asio::any_io_executor& executor, const gateway_options& o,
                  const adapter_set& adapters);

    /// Returns the model that a request selects, or an error (see choose_model()). The model lives
    /// as long as this object.
    std::variant<served_model*, api_error> find(std::string_view asked,
                                                const admitted_request& who);

    std::deque<served_model>& all() noexcept { return models_; }
    /// Lets no further turns start on the server with this id (see make_server_id()), or lets them
    /// start again.
    void set_server_drained(const std::string& server, bool is_drained);
    const std::vector<std::string>& names() const noexcept { return names_; }

 private:
    std::vector<std::string> names_;
    std::deque<served_model> models_;
};

}  // namespace tandem::gateway
