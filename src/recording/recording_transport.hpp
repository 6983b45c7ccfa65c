#pragma once

#include "transport/transport.hpp"

#include <memory>
#include <string>

namespace tandem::detail {

class traffic_writer;

/// A transport that passes on to `inner`, and passes everything to `writer`. `server` is the URL as
/// it may be shown.
std::unique_ptr<transport::http_transport> make_recording_transport(
    std::unique_ptr<transport::http_transport> inner, std::shared_ptr<traffic_writer> writer,
    std::string server);

}  // namespace tandem::detail
