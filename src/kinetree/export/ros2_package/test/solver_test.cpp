// The plugin through its interface: its terms add up to its torques, and wrong sizes are refused.
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "@package@/joints.hpp"
#include "@package@/solver.hpp"

int main()
{
  @package@::Solver own;
  inverse_dynamics_solver::InverseDynamicsSolver & solver = own;
  solver.initialize();
  const Eigen::Index n = static_cast<Eigen::Index>(@package@::JOINTS);
  Eigen::VectorXd q(n), qd(n), qdd(n);
  int wrong = 0;
  for (int state = 1; state <= 5; ++state) {
    for (Eigen::Index k = 0; k < n; ++k) {
      q[k] = std::sin(1.0 + state + 2.0 * static_cast<double>(k));
      qd[k] = std::cos(3.0 * state - static_cast<double>(k));
      qdd[k] = 2.0 * std::sin(0.5 * state + static_cast<double>(k * k));
    }
    const Eigen::MatrixXd M = solver.getInertiaMatrix(q);
    const Eigen::VectorXd sum = M * qdd + solver.getCoriolisVector(q, qd) + solver.getGravityVector(q);
    const Eigen::VectorXd tau = solver.getTorques(q, qd, qdd);
    const bool adds_up = (tau - sum).norm() <= 1e-10 * (1.0 + sum.norm());
    const bool is_symmetric = (M - M.transpose()).norm() <= 1e-10 * M.norm();
    const bool at_rest = solver.getCoriolisVector(q, Eigen::VectorXd::Zero(n)).norm() == 0.0;
    const bool is_finite = std::isfinite(solver.getFrictionVector(qd).norm());
    wrong += !adds_up + !is_symmetric + !at_rest + !is_finite;
  }
  try {
    solver.getGravityVector(Eigen::VectorXd::Zero(n + 1));
    ++wrong;
  } catch (const std::invalid_argument &) {
  }
  try {
    solver.initialize(nullptr, "", "<robot/>");
    ++wrong;
  } catch (const std::invalid_argument &) {
  }
  std::printf("@package@: %s\n", wrong ? "WRONG" : "the terms add up");
  return wrong != 0;
}
