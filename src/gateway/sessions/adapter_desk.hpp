#pragma once

#include "gateway/adapters/adapter_jobs.hpp"
#include "gateway/adapters/adapter_set.hpp"
#include "gateway/adapters/adapter_store.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/sessions/gateway_options.hpp"

#include "tandem/client.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
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

/// Has adapters set on the servers, remembers which, and looks that they stay so: a server that was
/// restarted is set again. On the gateway's loop.
class adapter_desk : public std::enable_shared_from_this<adapter_desk> {
 public:
    /// `o` must be free of faults. Throws store_error where its file cannot be used.
    adapter_desk(const boost::asio::any_io_executor& executor, const gateway_options& o);

    /// Begins to look after what was deployed before.
    void start();
    /// Nothing is asked any more; jobs that have not ended stay as they are.
    void close();

    /// As things are now.
    const adapter_set& adapters() const noexcept { return adapters_; }
    /// As of adapter_set.
    std::variant<std::vector<adapter_scale>, api_error> set_for(
        std::string_view model, const std::optional<std::vector<asked_adapter>>& wanted) const {
        return adapters_.set_for(model, wanted);
    }
    const adapter_jobs& jobs() const noexcept { return jobs_; }

    /// A new job, with this id; an error of status 404 or 429 if there is none.
    std::variant<const adapter_job*, api_error> load(std::string_view adapter, double scale,
                                                     std::string job);

 private:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    /// A server of a model that has adapters.
    struct desk_server {
        std::string model;
        std::string shown_url;
        client talk;
    };
    using server_ptr = std::shared_ptr<desk_server>;
    /// What a job, or the care, finds out about one.
    struct visit {
        server_ptr server;
        std::vector<server_adapter> told{};
        error_code ec{};
        std::string fault{};
    };

    void work();
    awaitable<void> run_jobs();
    awaitable<void> carry_out(std::string name, double scale);
    std::string deploy(const allowed_adapter& adapter, double scale);
    void watch();
    awaitable<void> look_after_all();
    awaitable<void> look_after(server_ptr s);
    std::vector<visit> visits_to(std::string_view model) const;
    awaitable<void> ask(visit& v);
    awaitable<void> set(visit& v);
    void tell(log_level level, const std::string& text) const;

    boost::asio::any_io_executor executor_;
    logger log_;
    adapter_set adapters_;
    adapter_jobs jobs_;
    std::optional<adapter_store> store_;
    std::vector<server_ptr> servers_;
    boost::asio::steady_timer care_;
    bool is_working_ = false;
    bool is_watching_ = false;
    bool is_closed_ = false;
};

}  // namespace tandem::gateway
