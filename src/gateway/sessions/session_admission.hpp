#pragma once

#include "cluster/shared_load.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/sessions/served_models.hpp"

#include "tandem/service_config.hpp"

#include <optional>
#include <vector>

// Rejects new sessions while the servers lack the capacity to generate speech for more listeners in
// time. Use this on the gateway's loop.
namespace tandem::gateway {

struct gateway_core;

/// The error for a new session of the model; nullopt if it can be served. Turns of existing
/// sessions are not checked.
std::optional<api_error> check_new_session(gateway_core& gateway, served_model& model);

/// Whether the server takes requests. A server that has not responded since startup is not usable.
bool is_server_usable(const server_status& s);

/// Updates the model's speech load from its servers, unless they were queried less than 250 ms ago.
void refresh_speech_load(gateway_core& gateway, served_model& model);
void update_speech_load(served_model& model, const std::vector<server_status>& servers);

/// The load of each model's voice sessions, for the other gateways of a cluster.
cluster::shared_load report_speech_load(served_models& models);
/// Sets the load of each model's sessions at the other gateways, which `elsewhere` contains as
/// sums.
void set_speech_load_elsewhere(served_models& models, const cluster::shared_load& elsewhere);

}  // namespace tandem::gateway
