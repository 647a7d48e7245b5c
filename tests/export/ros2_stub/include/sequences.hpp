#pragma once
// how a message's sequences are read and written: their length, then their elements
#include <cstddef>
#include <iostream>
#include <vector>

template <class T>
std::istream & operator>>(std::istream & in, std::vector<T> & values)
{
  std::size_t count = 0;
  in >> count;
  values.resize(count);
  for (T & x : values) {
    in >> x;
  }
  return in;
}
