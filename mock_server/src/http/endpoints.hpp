#pragma once

#include "engine/engine.hpp"
#include "http/http_message.hpp"
#include "tandem_mock/options.hpp"

// Responses of all endpoints except /completion. Functions throw std::exception if the body is
// invalid.
namespace tandem::mock {

http_reply make_error_reply(const api_error& e);

http_reply health();
http_reply models(const options& o, const engine& e);
http_reply props(const options& o, const engine& e);
http_reply slots(const engine& e, bool fail_on_no_slot);
http_reply tokenize(const std::string& text, const options& o);
http_reply detokenize(const std::string& text);
http_reply apply_template(const std::string& text, const options& o);

}  // namespace tandem::mock
