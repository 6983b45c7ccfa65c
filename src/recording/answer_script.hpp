#pragma once

#include "recording/recorded_traffic.hpp"

#include "tandem/duration.hpp"
#include "tandem/error.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::detail {

/// One thing that a server does.
struct answer_step {
    enum class kind { status, data, end };
    kind what = kind::data;
    /// After the step before, or the request.
    duration after{};
    /// Something may be decided by how long that is: a chunk ends where no token comes.
    bool decides = false;
    int http_status = 0;
    std::string bytes{};
    error_code ec{};
    std::string message{};
};

/// What a server does about one request, step by step; nothing = it does nothing more.
using answer_script = std::function<std::optional<answer_step>()>;

/// The answer as it came.
answer_script script_of(const recorded_exchange& x);

/// An answer at once.
answer_script script_of(int http_status, std::string body);

}  // namespace tandem::detail
