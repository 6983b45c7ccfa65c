#include "serve/key_command.hpp"

#include "os/exit_status.hpp"
#include "os/lost_output.hpp"
#include "serve/client_keys.hpp"
#include "terminal/terminal.hpp"

namespace tandem::command {

int run_key(const key_options& options) {
    constexpr std::size_t digits = 8;
    const auto made = gateway::make_api_key();
    // Names must differ.
    const auto name = options.name.empty() ? "key-" + made.sha256.substr(0, digits) : options.name;
    terminal t;
    t.print(made.key + '\n' + key_entry(name, made.sha256) + '\n');
    if (t.failure().empty()) {
        t.print_error(
            "The first line is the key, for the client: it is shown this once. The second\n"
            "one goes into the file of --keys: {\"keys\": [LINE, LINE...]}");
        return all_good;
    }
    tell_lost_output(t, "tandem key");
    return status_of_output(t).value_or(not_all_good);
}

}  // namespace tandem::command
