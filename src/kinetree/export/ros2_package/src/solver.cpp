#include "@package@/solver.hpp"

#include <stdexcept>
#include <string>

#include "@package@/joints.hpp"
@includes@

namespace @package@
{

namespace
{

const double * checked(const Eigen::VectorXd & values, const char * what)
{
  if (values.size() != static_cast<Eigen::Index>(JOINTS)) {
    throw std::invalid_argument(
      "@package@: " + std::to_string(values.size()) + " " + what + ", but the model has " +
      std::to_string(JOINTS) + " joints");
  }
  return values.data();
}

Eigen::VectorXd vector()
{
  return Eigen::VectorXd(static_cast<Eigen::Index>(JOINTS));
}

}  // namespace

void Solver::initialize(
  rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr, const std::string &,
  const std::string & robot_description)
{
  if (robot_description.empty()) {
    return;
  }
  for (const std::string & name : joint_names()) {
    if (robot_description.find(name) == std::string::npos) {
      throw std::invalid_argument(
        "@package@: the robot description has no joint " + name + ", for which the model was generated");
    }
  }
}

Eigen::MatrixXd Solver::getInertiaMatrix(const Eigen::VectorXd & joint_positions) const
{
  Eigen::MatrixXd M(static_cast<Eigen::Index>(JOINTS), static_cast<Eigen::Index>(JOINTS));
  @package@_inertia_matrix(checked(joint_positions, "positions"), M.data());  // symmetric: rows are columns
  return M;
}

Eigen::VectorXd Solver::getCoriolisVector(
  const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities) const
{
  Eigen::VectorXd c = vector();
  @package@_coriolis_vector(
    checked(joint_positions, "positions"), checked(joint_velocities, "velocities"), c.data());
  return c;
}

Eigen::VectorXd Solver::getGravityVector(const Eigen::VectorXd & joint_positions) const
{
  Eigen::VectorXd g = vector();
  @package@_gravity_vector(checked(joint_positions, "positions"), g.data());
  return g;
}

Eigen::VectorXd Solver::getFrictionVector(const Eigen::VectorXd & joint_velocities) const
{
  Eigen::VectorXd f = vector();
  @package@_friction_vector(checked(joint_velocities, "velocities"), f.data());
  return f;
}

Eigen::VectorXd Solver::getTorques(
  const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
  const Eigen::VectorXd & joint_accelerations) const
{
  Eigen::VectorXd tau = vector();
  @package@_torques(
    checked(joint_positions, "positions"), checked(joint_velocities, "velocities"),
    checked(joint_accelerations, "accelerations"), tau.data());
  return tau;
}

}  // namespace @package@

#include <pluginlib/class_list_macros.hpp>

PLUGINLIB_EXPORT_CLASS(@package@::Solver, inverse_dynamics_solver::InverseDynamicsSolver)
