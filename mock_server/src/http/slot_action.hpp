#pragma once

#include "answers/api_error.hpp"
#include "engine/task.hpp"
#include "http/http_message.hpp"

#include <string>
#include <variant>

namespace tandem::mock {

/// The action that POST /slots/{id}?action=… requests.
struct slot_action {
    task_kind kind = task_kind::erase;
    int id_slot = 0;
    std::string file{};  ///< for save and restore
};

bool is_slot_action(const http_request& r);

/// Precondition: is_slot_action(r). `allowed`: the server was started with --slot-save-path.
std::variant<slot_action, api_error> parse_slot_action(const http_request& r, bool allowed);

}  // namespace tandem::mock
