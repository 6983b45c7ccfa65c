#pragma once

#include "answers/api_error.hpp"
#include "engine/task.hpp"
#include "http/http_message.hpp"

#include <string>
#include <variant>

namespace tandem::mock {

/// What POST /slots/{id}?action=… asks for.
struct slot_action {
    task_kind kind = task_kind::erase;
    int id_slot = 0;
    std::string file{};  ///< of save and restore
};

bool is_slot_action(const http_request& r);

/// Of a request that is one. `allowed`: the server was started with --slot-save-path.
std::variant<slot_action, api_error> parse_slot_action(const http_request& r, bool allowed);

}  // namespace tandem::mock
