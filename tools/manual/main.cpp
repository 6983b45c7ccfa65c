// Writes the pages for `man` of the command and of each of its commands into a folder, while tandem
// is built: tandem_manual 2026-01-31 FOLDER
#include "command_line.hpp"
#include "pages.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace tandem::command {

void write_page(const CLI::App& app, const manual_frame& frame, const std::string& folder) {
    const auto path = folder + '/' + frame.name + ".1";
    std::ofstream file(path);
    if (!(file << manual_page(app, frame)).flush())
        throw std::runtime_error(path + " cannot be written");
}

}  // namespace tandem::command

namespace {

void write_pages(const CLI::App& tandem, const std::string& date, const std::string& folder) {
    std::string commands;
    for (const auto* c : tandem.get_subcommands([](const CLI::App*) { return true; })) {
        const auto name = tandem.get_name() + '-' + c->get_name();
        tandem::command::write_page(*c, {name, c->get_footer(), date, "tandem(1)"}, folder);
        commands += (commands.empty() ? "" : ", ") + name + "(1)";
    }
    tandem::command::write_page(tandem, {tandem.get_name(), tandem.get_footer(), date, commands},
                                folder);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) throw std::invalid_argument("usage: tandem_manual DATE FOLDER");
    tandem::command::visit_commands([&](const auto& all) { write_pages(all, argv[1], argv[2]); });
    tandem::command::write_mock_server_page(argv[1], argv[2]);
} catch (const std::exception& e) {
    std::cerr << "tandem_manual: " << e.what() << '\n';
    return 1;
}
