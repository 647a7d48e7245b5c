#pragma once
#include <iostream>
#include <vector>

namespace std_msgs::msg
{
struct Float64MultiArray
{
  std::vector<double> data;
};
inline std::ostream & operator<<(std::ostream & out, const Float64MultiArray & x)
{
  for (double value : x.data) {
    out << value << ' ';
  }
  return out << std::endl;
}
}  // namespace std_msgs::msg
