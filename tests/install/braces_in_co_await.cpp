#include <tandem/tandem.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <utility>  // needed by Boost 1.74's awaitable.hpp
#include <vector>

// GCC 12 must accept a braced list of messages as an argument of an awaited call. This code is
// compiled, but does not run.
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
