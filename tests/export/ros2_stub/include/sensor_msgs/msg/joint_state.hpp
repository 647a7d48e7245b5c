#pragma once
#include <memory>
#include <sequences.hpp>
#include <string>

namespace sensor_msgs::msg
{
struct JointState
{
  using ConstSharedPtr = std::shared_ptr<const JointState>;
  std::vector<std::string> name;
  std::vector<double> position, velocity;
};
inline std::istream & operator>>(std::istream & in, JointState & x)
{
  using ::operator>>;
  return in >> x.name >> x.position >> x.velocity;
}
}  // namespace sensor_msgs::msg
