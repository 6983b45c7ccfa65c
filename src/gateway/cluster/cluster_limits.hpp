#pragma once

#include "cluster/cluster_member.hpp"
#include "gateway/access/shared_limits.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {

/// Keeps the usage of keys in the cluster's store. Once the gateway has left the cluster, each
/// verdict is nullopt.
class cluster_limits final : public shared_limits,
                             public std::enable_shared_from_this<cluster_limits> {
 public:
    /// Also sets the member's connection handler.
    static std::shared_ptr<cluster_limits> make(
        const boost::asio::any_io_executor& executor,
        const std::shared_ptr<cluster::cluster_member>& member);

    void request_verdict(const limit_query& q, verdict_handler done) override;
    void report_usage(const usage_report& s, report_handler done) override;
    std::int64_t count_members() const override;

 private:
    cluster_limits(const boost::asio::any_io_executor& executor,
                   const std::shared_ptr<cluster::cluster_member>& member)
        : executor_(executor), member_(member) {}
    void resend_unconfirmed_usage();

    boost::asio::any_io_executor executor_;
    std::weak_ptr<cluster::cluster_member> member_;
    /// For each key, the number of running replies, if the store has not confirmed this number.
    std::map<std::string, std::int64_t> unconfirmed_running_{};
};

// Arguments and answers of the scripts `admit_request` and `record_usage`, which describe them.
struct gateway_process {
    std::string gateway;
    std::string process;
};
std::vector<std::string> make_admission_arguments(const gateway_process& sender,
                                                  const shared_limits::limit_query& q);
std::vector<std::string> make_usage_arguments(const gateway_process& sender,
                                              const shared_limits::usage_report& s);
/// Returns nullopt if the answer is not a verdict.
std::optional<shared_limits::verdict> read_verdict(
    const std::optional<cluster::store_answer>& answer);

}  // namespace tandem::gateway
