// A node that moves @robot@ along a reference by computed torque:
//
//   tau = ID(q, qd, qdd_r + kd (qd_r - qd) + kp (q_r - q)) + f(qd_r)
//
// joint_states (sensor_msgs/JointState) and reference (trajectory_msgs/JointTrajectoryPoint, joints in the model's
// order; velocities and accelerations may be left out) -> commands (std_msgs/Float64MultiArray). Until there is a
// reference, the position of the first joint state is held.
#include <cstddef>
#include <memory>
#include <string>

#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <trajectory_msgs/msg/joint_trajectory_point.hpp>

#include "@package@/joints.hpp"
#include "@package@_friction_vector.h"
#include "@package@_torques.h"

namespace @package@
{

class ComputedTorque : public rclcpp::Node
{
public:
  ComputedTorque()
  : Node("computed_torque"), kp_(declare_parameter("kp", 100.0)), kd_(declare_parameter("kd", 20.0))
  {
    efforts_.data.resize(JOINTS);
    publisher_ = create_publisher<std_msgs::msg::Float64MultiArray>("commands", 1);
    states_ = create_subscription<sensor_msgs::msg::JointState>(
      "joint_states", 1, [this](sensor_msgs::msg::JointState::ConstSharedPtr state) {react(*state);});
    references_ = create_subscription<trajectory_msgs::msg::JointTrajectoryPoint>(
      "reference", 1, [this](trajectory_msgs::msg::JointTrajectoryPoint::ConstSharedPtr point) {follow(*point);});
  }

private:
  static void take(const std::vector<double> & values, Vector & result)
  {
    for (std::size_t k = 0; k < JOINTS; ++k) {
      result[k] = values.empty() ? 0.0 : values[k];
    }
  }

  void follow(const trajectory_msgs::msg::JointTrajectoryPoint & point)
  {
    const auto fits = [](const std::vector<double> & x, bool needed) {
        return x.size() == JOINTS || (x.empty() && !needed);
      };
    if (!fits(point.positions, true) || !fits(point.velocities, false) || !fits(point.accelerations, false)) {
      RCLCPP_WARN(get_logger(), "a reference has a number of joints that is not the model's, and is ignored");
      return;
    }
    take(point.positions, q_r_);
    take(point.velocities, qd_r_);
    take(point.accelerations, qdd_r_);
    has_reference_ = true;
  }

  void react(const sensor_msgs::msg::JointState & state)
  {
    if (!order_.update(state.name) || !order_.read(state.position, q_) || !order_.read(state.velocity, qd_)) {
      RCLCPP_WARN_ONCE(get_logger(), "a message of joint_states lacks joints of the model, or their velocities");
      return;
    }
    if (!has_reference_) {
      q_r_ = q_;
      has_reference_ = true;
    }
    Vector qdd, friction;
    for (std::size_t k = 0; k < JOINTS; ++k) {
      qdd[k] = qdd_r_[k] + kd_ * (qd_r_[k] - qd_[k]) + kp_ * (q_r_[k] - q_[k]);
    }
    @package@_torques(q_.data(), qd_.data(), qdd.data(), efforts_.data.data());
    @package@_friction_vector(qd_r_.data(), friction.data());
    for (std::size_t k = 0; k < JOINTS; ++k) {
      efforts_.data[k] += friction[k];
    }
    publisher_->publish(efforts_);
  }

  double kp_, kd_;
  JointOrder order_;
  Vector q_{}, qd_{}, q_r_{}, qd_r_{}, qdd_r_{};
  bool has_reference_ = false;
  std_msgs::msg::Float64MultiArray efforts_;
  rclcpp::Publisher<std_msgs::msg::Float64MultiArray>::SharedPtr publisher_;
  rclcpp::Subscription<sensor_msgs::msg::JointState>::SharedPtr states_;
  rclcpp::Subscription<trajectory_msgs::msg::JointTrajectoryPoint>::SharedPtr references_;
};

}  // namespace @package@

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<@package@::ComputedTorque>());
  rclcpp::shutdown();
  return 0;
}
