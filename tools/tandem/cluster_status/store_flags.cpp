#include "cluster_status/store_flags.hpp"

#include "flags/flag_parsing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <unistd.h>

namespace tandem::command {
namespace {

constexpr const char* group = "cluster";
constexpr const char* password_name = "TANDEM_CLUSTER_PASSWORD";
constexpr std::size_t max_name_length = 64;

// Accepts only characters that cannot be confused with the separators in keys and messages of the
// store, where the names appear.
bool is_name(const std::string& text) {
    const auto is_part = [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_' || c == '.';
    };
    return !text.empty() && text.size() <= max_name_length && std::ranges::all_of(text, is_part);
}

void check_name(const char* flag, const std::string& text, std::vector<std::string>& faults) {
    if (is_name(text)) return;
    faults.push_back(make_invalid_value_message(
        flag, text,
        fmt::format("1 to {} letters, digits, \"-\", \"_\" and \".\"", max_name_length)));
}

// Adds a random number, because several gateways may run on one machine.
std::string make_gateway_id() {
    std::array<char, max_name_length> host{};
    ::gethostname(host.data(), host.size() - 1);
    std::string name = host.data();
    std::erase_if(name, [](unsigned char c) { return !std::isalnum(c) && c != '-'; });
    name.resize(std::min<std::size_t>(name.size(), 40));
    return fmt::format("{}-{:08x}", name.empty() ? "gateway" : name, std::random_device{}());
}

}  // namespace

void store_flags::add_to(CLI::App& app, bool is_member) {
    add_value_flag(app, "--cluster", url_, "URL",
                   "store that gateways share: redis://, redis+sentinel://, with TLS rediss:// or "
                   "rediss+sentinel://, or unix:// [none]",
                   group);
    add_value_flag(app, "--cluster-name", name_, "NAME",
                   "name of the cluster in the store [tandem]", group);
    if (is_member)
        add_value_flag(app, "--gateway-id", gateway_id_, "ID",
                       "id of this gateway in the cluster, the same after a restart [random]",
                       group);
}

std::optional<cluster::cluster_options> store_flags::read(const environment& variables,
                                                          std::vector<std::string>& faults) const {
    if (url_.empty()) {
        if (!gateway_id_.empty()) faults.emplace_back("--gateway-id requires --cluster URL");
        if (!name_.empty()) faults.emplace_back("--cluster-name requires --cluster URL");
        return std::nullopt;
    }
    auto parsed = cluster::parse_store_address(url_);
    if (parsed.fault) faults.push_back(fmt::format("--cluster: {}", *parsed.fault));
    cluster::cluster_options o{.store = std::move(parsed.address),
                               .gateway_id = gateway_id_.empty() ? make_gateway_id() : gateway_id_};
    if (!name_.empty()) o.name = name_;
    check_name("--cluster-name", o.name, faults);
    check_name("--gateway-id", o.gateway_id, faults);
    if (const auto password = variables.find(password_name); password != variables.end())
        o.password = password->second;
    return o;
}

}  // namespace tandem::command
