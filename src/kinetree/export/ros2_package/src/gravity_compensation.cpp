// A node that makes @robot@ weightless: it publishes the efforts that carry its links, for each joint state.
//
// joint_states (sensor_msgs/JointState) -> commands (std_msgs/Float64MultiArray), for a controller of efforts whose
// joints are those of the model, in its order.
#include <memory>
#include <string>

#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>

#include "@package@/joints.hpp"
#include "@package@_gravity_vector.h"

namespace @package@
{

class GravityCompensation : public rclcpp::Node
{
public:
  GravityCompensation()
  : Node("gravity_compensation")
  {
    efforts_.data.resize(JOINTS);
    publisher_ = create_publisher<std_msgs::msg::Float64MultiArray>("commands", 1);
    subscription_ = create_subscription<sensor_msgs::msg::JointState>(
      "joint_states", 1, [this](sensor_msgs::msg::JointState::ConstSharedPtr state) {react(*state);});
  }

private:
  void react(const sensor_msgs::msg::JointState & state)
  {
    if (!order_.update(state.name) || !order_.read(state.position, q_)) {
      RCLCPP_WARN_ONCE(get_logger(), "a message of joint_states lacks joints of the model");
      return;
    }
    @package@_gravity_vector(q_.data(), efforts_.data.data());
    publisher_->publish(efforts_);
  }

  JointOrder order_;
  Vector q_{};
  std_msgs::msg::Float64MultiArray efforts_;
  rclcpp::Publisher<std_msgs::msg::Float64MultiArray>::SharedPtr publisher_;
  rclcpp::Subscription<sensor_msgs::msg::JointState>::SharedPtr subscription_;
};

}  // namespace @package@

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<@package@::GravityCompensation>());
  rclcpp::shutdown();
  return 0;
}
