#pragma once

#include "completion/manual_page.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace tandem::command {

void write_page(const CLI::App& app, const manual_frame& frame, const std::string& folder);

/// The page of tandem-mock-server, where that is built.
void write_mock_server_page(const std::string& date, const std::string& folder);

}  // namespace tandem::command
