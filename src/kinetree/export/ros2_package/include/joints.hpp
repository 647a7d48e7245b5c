// The joints of @robot@, in the order of the model's vectors.
#ifndef @GUARD@_JOINTS_HPP
#define @GUARD@_JOINTS_HPP

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace @package@
{

constexpr std::size_t JOINTS = @joints@;
using Vector = std::array<double, JOINTS>;

inline const std::array<std::string, JOINTS> & joint_names()
{
  static const std::array<std::string, JOINTS> names{{
@names@
  }};
  return names;
}

/// Where the joints of the model are in messages whose names come in another order, or with others.
class JointOrder
{
public:
  /// Find the joints; false where one is missing. Names that are the same as before are not searched again.
  bool update(const std::vector<std::string> & names)
  {
    if (names == names_) {
      return complete_;
    }
    names_ = names;
    complete_ = true;
    for (std::size_t k = 0; k < JOINTS; ++k) {
      std::size_t i = 0;
      while (i < names.size() && names[i] != joint_names()[k]) {
        ++i;
      }
      indices_[k] = i;
      complete_ = complete_ && i < names.size();
    }
    return complete_;
  }

  /// The values of the joints; false where the message has too few.
  bool read(const std::vector<double> & values, Vector & result) const
  {
    for (std::size_t k = 0; k < JOINTS; ++k) {
      if (indices_[k] >= values.size()) {
        return false;
      }
      result[k] = values[indices_[k]];
    }
    return true;
  }

private:
  std::vector<std::string> names_;
  std::array<std::size_t, JOINTS> indices_{};
  bool complete_ = false;
};

}  // namespace @package@

#endif
