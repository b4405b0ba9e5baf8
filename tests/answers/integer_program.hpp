// Choosing columns of a packing program whole: branch and bound over the linear program.
#pragma once

#include <cstddef>
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

struct Packed {
  double value = 0;     // of the best whole choice found
  double relaxed = 0;   // of the linear program: no whole choice has more
  bool proven = false;  // nothing better than `value` exists; false: the limit of nodes ended the search
};

// Depth first, the most undecided column first. Errors: those of Clp.
Result<Packed> pack(const Packing& packing, int most_nodes);

}  // namespace hadar::answers
