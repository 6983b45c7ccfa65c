#include "serve/key_flags.hpp"

#include "serve/client_keys.hpp"

#include <utility>

namespace tandem::command {
namespace {

constexpr const char* key_text = R"(Example:
  tandem key --name reception

Creates a key of 256 random bits for a client of "tandem serve".

Usage: tandem key [FLAG...]

The first line of stdout is the key, which is not stored and cannot be shown
again. The second line is its entry for the file of --keys, with its SHA-256:
  {"keys": [
    {"name": "reception", "sha256": "9f86..."}
  ]}
An entry may also have "rights", "models", "priority", "requests_per_minute",
"tokens_per_minute" and "concurrent". Send SIGHUP to a running gateway.

Exit status: 0 created, 1 the key could not be created or written, 2 wrong use.)";

}  // namespace

key_flags::key_flags(CLI::App& tandem)
    : flags_(tandem, name, key_text, "create a key for a client of serve") {
    flags_.begin_group("key");
    flags_.add_text("--name", options_.name, "NAME",
                    "name of the key's holder in logs [key- and the start of its hash]");
    flags_.begin_group("help");
    flags_.add_help_flag();
}

key_options key_flags::read(const environment&, std::vector<std::string>& faults) {
    faults = describe_unparsed_arguments(flags_.app());
    if (flags_.is_given("--name"))
        if (const auto fault = key_name_fault(options_.name); !fault.empty())
            faults.push_back("--name " + fault);
    return std::move(options_);
}

}  // namespace tandem::command
