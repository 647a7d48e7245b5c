#pragma once
#include <memory>
#include <sequences.hpp>

namespace trajectory_msgs::msg
{
struct JointTrajectoryPoint
{
  using ConstSharedPtr = std::shared_ptr<const JointTrajectoryPoint>;
  std::vector<double> positions, velocities, accelerations;
};
inline std::istream & operator>>(std::istream & in, JointTrajectoryPoint & x)
{
  using ::operator>>;
  return in >> x.positions >> x.velocities >> x.accelerations;
}
}  // namespace trajectory_msgs::msg
