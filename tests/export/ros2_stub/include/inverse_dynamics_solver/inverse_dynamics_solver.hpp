#pragma once
// the names and types of the released interface, which a plugin overrides
#include <Eigen/Core>
#include <rclcpp/node_interfaces/node_parameters_interface.hpp>
#include <string>
#include <tuple>

namespace inverse_dynamics_solver
{
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Parameters = rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr;

class InverseDynamicsSolver
{
public:
  virtual ~InverseDynamicsSolver() = default;
  virtual void initialize(Parameters = nullptr, const std::string & = "", const std::string & = "") = 0;
  virtual Matrix getInertiaMatrix(const Vector & q) const = 0;
  virtual Vector getCoriolisVector(const Vector & q, const Vector & qd) const = 0;
  virtual Vector getGravityVector(const Vector & q) const = 0;
  virtual Vector getFrictionVector(const Vector & qd) const = 0;
  virtual std::tuple<Matrix, Vector, Vector> getDynamicParameters(const Vector & q, const Vector & qd) const
  {
    return {getInertiaMatrix(q), getCoriolisVector(q, qd), getGravityVector(q)};
  }
  virtual Vector getTorques(const Vector & q, const Vector & qd, const Vector & qdd) const
  {
    const auto [M, c, g] = getDynamicParameters(q, qd);
    return M * qdd + c + g;
  }

protected:
  InverseDynamicsSolver() = default;
};
}  // namespace inverse_dynamics_solver
