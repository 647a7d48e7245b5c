// The dynamics of @robot@ as a plugin: tau = M(q) qdd + C(q, qd) qd + f(qd) + g(q), SI units and radians.
#ifndef @GUARD@_SOLVER_HPP
#define @GUARD@_SOLVER_HPP

#include <string>

#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>

namespace @package@
{

/// The model is part of the code: there is nothing to configure. Methods may be called from several threads.
class Solver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  /// Refuses a robot description that lacks one of the model's joints; parameters are not needed.
  void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface = nullptr,
    const std::string & param_namespace = "", const std::string & robot_description = "") override;

  Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & joint_positions) const override;
  Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities) const override;
  Eigen::VectorXd getGravityVector(const Eigen::VectorXd & joint_positions) const override;
  Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & joint_velocities) const override;

  /// Without friction, as the interface says; in one pass instead of three.
  Eigen::VectorXd getTorques(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
    const Eigen::VectorXd & joint_accelerations) const override;
};

}  // namespace @package@

#endif
