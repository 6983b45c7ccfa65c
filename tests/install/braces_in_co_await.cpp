#include <tandem/tandem.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <utility>  // Boost 1.74's awaitable.hpp needs it
#include <vector>

// GCC 12 must accept messages in braces in a call inside a co_await. This code is only compiled.
boost::asio::awaitable<void> prompts_of_messages(tandem::client& llm, std::string said) {
    using boost::asio::use_awaitable;
    co_await llm.async_apply_template({{"user", "Hello"}}, use_awaitable);
    co_await llm.async_apply_template({{"system", "Be brief."}, {"user", said}}, use_awaitable);
    co_await llm.async_apply_template(
        {{"system", "Be brief."}, {"user", "Hello"}, {"assistant", "Hi."}, {"user", said}},
        use_awaitable);
    co_await llm.async_apply_template({{"system", "Be brief."},
                                       {"user", "Hello"},
                                       {"assistant", "Hi."},
                                       {"user", "How are you?"},
                                       {"assistant", "I am well."},
                                       {"user", said}},
                                      use_awaitable);
    const std::vector<tandem::chat_message> many(9, {"user", "Hello"});
    co_await llm.async_apply_template(many, use_awaitable);
}
