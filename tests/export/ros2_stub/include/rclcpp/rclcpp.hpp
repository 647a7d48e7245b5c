#pragma once
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#define RCLCPP_WARN_ONCE(logger, ...) (void)(logger), std::fprintf(stderr, __VA_ARGS__), std::fputc('\n', stderr)
#define RCLCPP_WARN RCLCPP_WARN_ONCE

namespace rclcpp
{
inline std::map<std::string, std::function<void()>> & topics()
{
  static std::map<std::string, std::function<void()>> callbacks;
  return callbacks;
}

template <class Message>
struct Publisher
{
  using SharedPtr = std::shared_ptr<Publisher>;
  void publish(const Message & message) {std::cout << message;}
};

template <class Message>
struct Subscription
{
  using SharedPtr = std::shared_ptr<Subscription>;
};

class Node
{
public:
  explicit Node(const std::string &) {}

protected:
  template <class Value>
  Value declare_parameter(const std::string &, Value value) {return value;}
  template <class Message>
  std::shared_ptr<Publisher<Message>> create_publisher(const std::string &, int)
  {
    return std::make_shared<Publisher<Message>>();
  }
  template <class Message, class Callback>
  std::shared_ptr<Subscription<Message>> create_subscription(const std::string & topic, int, Callback callback)
  {
    topics()[topic] = [callback]() {
        const auto message = std::make_shared<Message>();
        std::cin >> *message;
        callback(message);
      };
    return std::make_shared<Subscription<Message>>();
  }
  int get_logger() const {return 0;}
};

inline void init(int, char **) {}
inline void shutdown() {}
inline void spin(const std::shared_ptr<Node> &)
{
  std::string topic;
  std::cout.precision(17);
  while (std::cin >> topic) {
    topics().at(topic)();
  }
}
}  // namespace rclcpp
