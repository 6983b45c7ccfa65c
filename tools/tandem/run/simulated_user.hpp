#pragma once

#include "os/coroutines.hpp"
#include "run/user_speech.hpp"

#include "tandem/conversation.hpp"

#include <chrono>
#include <functional>

namespace tandem::command {

/// Waits until a time; the result is false if the wait was cancelled.
using wait_until_function = std::function<awaitable<bool>(std::chrono::steady_clock::time_point)>;

/// Speaks `speech`, and passes the recognizer's reports to the conversation while doing so.
/// `options`: the options that the reply to this speech will have. The result is false if a wait
/// was cancelled.
awaitable<bool> simulate_user_speech(conversation& talk, user_speech speech,
                                     generation_options options, wait_until_function wait);

}  // namespace tandem::command
