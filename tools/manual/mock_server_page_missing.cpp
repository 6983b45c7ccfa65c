#include "pages.hpp"

namespace tandem::command {

void write_mock_server_page(const std::string&, const std::string&) {}

}  // namespace tandem::command
