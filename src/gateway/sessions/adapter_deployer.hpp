#pragma once

#include "gateway/adapters/adapter_jobs.hpp"
#include "gateway/adapters/adapter_set.hpp"
#include "gateway/adapters/adapter_store.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/sessions/gateway_options.hpp"

#include "tandem/client.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp does not include it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// Sets adapters on the servers, stores their scales, and sets the adapters again on restarted
/// servers. Use it on the gateway's loop.
class adapter_deployer : public std::enable_shared_from_this<adapter_deployer> {
 public:
    /// `o` must be free of faults. Throws adapter_store_error if the state file is unusable.
    adapter_deployer(const boost::asio::any_io_executor& executor, const gateway_options& o);

    /// Starts the periodic checks of the deployed adapters, if there are any.
    void start_checks();
    /// Stops all requests to servers; unfinished jobs keep their state.
    void close();

    /// Replaces the servers of the model, and sets the deployed adapters on new servers.
    void replace_servers(const model_servers& m);

    /// The current state.
    const adapter_set& adapters() const noexcept { return adapters_; }
    const adapter_jobs& jobs() const noexcept { return jobs_; }

    /// Adds a job with this id, or returns an error with status 404 or 429.
    std::variant<const adapter_job*, api_error> queue_job(std::string_view adapter, double scale,
                                                          std::string job);

 private:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    /// A server of a model that has adapters.
    struct deployer_server {
        std::string model;
        std::string url;
        std::string shown_url;
        client talk;
    };
    using server_ptr = std::shared_ptr<deployer_server>;
    /// Result of querying or updating one server.
    struct visit {
        server_ptr server;
        std::vector<server_adapter> reported{};
        error_code ec{};
        std::string fault{};
    };

    void set_servers(const model_servers& m);
    void start_jobs();
    awaitable<void> run_jobs();
    awaitable<void> execute_job(std::string name, double scale);
    std::string deploy(const allowed_adapter& adapter, double scale);
    awaitable<void> reconcile_all();
    awaitable<void> repair_adapters(server_ptr s);
    std::vector<visit> plan_server_checks(std::string_view model) const;
    awaitable<void> query_adapters(visit& v);
    awaitable<void> send_scales(visit& v);
    void write_log(log_level level, const std::string& text) const;

    boost::asio::any_io_executor executor_;
    config settings_;
    instruments instruments_;
    adapter_set adapters_;
    adapter_jobs jobs_;
    std::optional<adapter_store> store_;
    std::vector<server_ptr> servers_;
    boost::asio::steady_timer reconcile_timer_;
    bool is_working_ = false;
    bool is_watching_ = false;
    bool is_closed_ = false;
};

}  // namespace tandem::gateway
