#include "gateway/answers/request_digest.hpp"

#include "wire/calls/completion_request.hpp"

#include <boost/algorithm/string/find.hpp>

#include <cstdint>
#include <locale>
#include <string>

namespace tandem::gateway {
namespace {

/// The text to hash. Each part is preceded by its length, so that "ab" and "c" do not get the same
/// key as "a" and "bc".
class question {
 public:
    void add(std::string_view text) {
        add(text.size());
        text_ += text;
    }
    void add(std::uint64_t number) {
        text_.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    std::optional<request_digest> key() const { return hash_sha256(text_); }

 private:
    std::string text_;
};

bool may_be_shared(const generation_request& r) noexcept {
    // Extra sampling fields such as `dynatemp_range` may add randomness even at temperature 0.
    return !r.stream && r.options.temperature == 0 && r.options.sampling.empty();
}

question begin(std::string_view kind, const generation_request& r, std::string_view model,
               std::string_view scope) {
    question d;
    d.add(kind);
    d.add(model);
    d.add(scope);
    d.add(wire::encode_completion_settings(r.options));
    d.add(static_cast<std::uint64_t>(r.options.max_tokens));
    d.add(r.options.tools);
    d.add(r.options.tool_choice);
    d.add(std::uint64_t{r.options.parallel_tool_calls});
    d.add(r.options.template_options);
    const auto& delivery = r.options.delivery;
    // An unset limit means the gateway's limit, but 0 means no limit, so the key must tell them
    // apart.
    d.add(std::uint64_t{delivery.reasoning_limit.has_value()});
    d.add(std::uint64_t{delivery.reasoning_limit_tokens.has_value()});
    d.add(static_cast<std::uint64_t>(delivery.reasoning_limit.value_or(duration{}).count()));
    d.add(static_cast<std::uint64_t>(delivery.reasoning_limit_tokens.value_or(0)));
    return d;
}

void add(question& d, const chat_message& m) {
    for (const auto* text : {&m.role, &m.content, &m.tool_call_id, &m.name}) d.add(*text);
    d.add(m.tool_calls.size());
    for (const auto& call : m.tool_calls)
        for (const auto* text : {&call.id, &call.name, &call.arguments}) d.add(*text);
}

bool has_word(std::string_view text, std::string_view word) {
    return !boost::algorithm::ifind_first(text, word, std::locale::classic()).empty();
}

}  // namespace

std::optional<request_digest> make_cache_key(const chat_request& request, std::string_view model,
                                             std::string_view scope) {
    if (!may_be_shared(request)) return std::nullopt;
    auto d = begin("chat", request, model, scope);
    d.add(request.messages.size());
    for (const auto& m : request.messages) add(d, m);
    return d.key();
}

std::optional<request_digest> make_cache_key(const completion_request& request,
                                             std::string_view model, std::string_view scope) {
    if (!may_be_shared(request)) return std::nullopt;
    auto d = begin("completion", request, model, scope);
    d.add(request.prompt);
    return d.key();
}

bool bypasses_cache(std::string_view cache_control) {
    return has_word(cache_control, "no-cache") || has_word(cache_control, "no-store");
}

}  // namespace tandem::gateway
