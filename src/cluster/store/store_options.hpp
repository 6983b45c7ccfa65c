#pragma once

#include "cluster/store/store_address.hpp"

#include <string>

namespace tandem::cluster {

/// Settings of a connection to the store.
struct store_options {
    store_address address{};
    /// Empty = none. Also used for sentinels that require a password.
    std::string password{};
    /// File of the certificates to trust; empty = the system's certificates.
    std::string ca_file{};
    /// The connection's name in the store's `CLIENT LIST`.
    std::string client_name{};
};

}  // namespace tandem::cluster
