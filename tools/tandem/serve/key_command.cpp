#include "serve/key_command.hpp"

#include "os/exit_status.hpp"
#include "serve/client_keys.hpp"
#include "terminal/terminal.hpp"

namespace tandem::command {

int run_key(const key_options& options) {
    constexpr std::size_t digits = 8;
    const auto made = gateway::make_api_key();
    // Derives the name from the hash, because names must be unique in the key file.
    const auto name = options.name.empty() ? "key-" + made.sha256.substr(0, digits) : options.name;
    terminal t;
    t.print(made.key + '\n' + format_key_entry(name, made.sha256) + '\n');
    if (t.failure().empty()) {
        t.print_error(
            "The first line is the key for the client; it is shown only once. The second\n"
            "line goes into the file of --keys: {\"keys\": [LINE, LINE...]}");
        return all_good;
    }
    print_output_failure(t, "tandem key");
    return lost_output_exit_status(t).value_or(not_all_good);
}

}  // namespace tandem::command
