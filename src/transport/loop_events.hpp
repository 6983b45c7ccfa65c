#pragma once

#include <curl/curl.h>

namespace tandem::transport {

/// Events of the loop for the driver of curl.
class loop_events {
 public:
    /// `mask` holds CURL_CSELECT_* bits.
    virtual void on_ready(curl_socket_t fd, int mask) = 0;
    virtual void on_timeout() = 0;

 protected:
    ~loop_events() = default;
};

}  // namespace tandem::transport
