#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cluster {

/// Quantities by name. Each gateway reports its load to the store; the store returns, for each
/// name, the sum over the other gateways.
using shared_load = std::map<std::string, double>;

/// Encodes the load as a JSON object. Omits zeros and non-finite values.
std::string serialize_load(const shared_load& load);
/// Ignores values that are not numbers.
shared_load parse_load(std::string_view text);

/// Returns the name of the quantity that shows that a gateway serves these servers. A single
/// quantity names all servers, because the store would add up separate quantities.
std::string name_served_servers_quantity(const std::vector<std::string>& servers);
/// Returns the names of the servers that a gateway with this load serves.
std::vector<std::string> find_served_servers(const shared_load& load);

/// Returns 0 if the load lacks the quantity.
double find_quantity(const shared_load& load, const std::string& name);

}  // namespace tandem::cluster
