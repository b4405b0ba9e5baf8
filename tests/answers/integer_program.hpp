// Choosing columns of a packing program whole, by COIN-OR's Cbc.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar::answers {

// Columns in groups (at most one of each) that use up resources.
struct Column {
  std::size_t group = 0;
  double value = 0;
  std::vector<std::pair<std::size_t, double>> uses;  // resource, amount
};

struct Packing {
  std::size_t groups = 0;
  std::vector<double> capacity;  // by resource
  std::vector<Column> columns;
};

// The most value of columns taken whole: proven, else kInternal.
Result<double> pack_whole(const Packing& packing);

// The same with columns taken in part: no whole choice has more.
Result<double> pack_parts(const Packing& packing);

}  // namespace hadar::answers
