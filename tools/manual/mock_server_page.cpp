#include "pages.hpp"
#include "program_flags.hpp"

namespace tandem::command {

void write_mock_server_page(const std::string& date, const std::string& folder) {
    CLI::App app("", mock::program_flags::name);
    const mock::program_flags flags(app);
    write_page(app,
               {mock::program_flags::name, "behave like llama-server, for tests of bots", date,
                "tandem(1)"},
               folder);
}

}  // namespace tandem::command
