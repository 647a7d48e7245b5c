#pragma once
#include <memory>

namespace rclcpp::node_interfaces
{
class NodeParametersInterface
{
public:
  using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>;
  virtual ~NodeParametersInterface() = default;
};
}  // namespace rclcpp::node_interfaces
