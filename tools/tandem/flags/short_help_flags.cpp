#include "flags/short_help_flags.hpp"

#include <map>

namespace tandem::command {
namespace {

using flag_list = std::vector<std::string_view>;

const flag_list shared_flags{"--url",         "--api-key", "--api-key-file", "--pacing",
                             "--reuse-guard", "--slots",   "--max-tokens"};

}  // namespace

short_help_flags find_short_help_flags(std::string_view command) {
    static const std::map<std::string_view, flag_list> own{
        {"replay",
         {"FILE", "--prompt", "--user", "--tts", "--concurrency", "--wait", "--json", "--report",
          "--junit", "--record", "--from-recording"}},
        {"chat",
         {"--system", "--load", "--save", "--tts", "--tts-command", "--voice", "--speed", "--wav",
          "--tools", "--wait", "--json", "--record"}},
        {"doctor", {"--quick", "--wait", "--json", "--color"}},
        {"bench",
         {"--mock", "--concurrency", "--rate", "--duration", "--turns", "--tts", "--capacity",
          "--prompts", "--user", "--wait", "--json"}},
        {"serve",
         {"--listen", "--model", "--drain", "--keys", "--tls-cert", "--tls-key", "--denied",
          "--audit", "--log-level", "--log-format", "--record"}},
    };
    const auto found = own.find(command);
    return found == own.end() ? short_help_flags() : short_help_flags{found->second, shared_flags};
}

}  // namespace tandem::command
