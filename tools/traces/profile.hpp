// What a profile draws. Internal to this folder.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/traces/random.hpp"

namespace hadar::traces {

struct Shape {
  std::uint32_t gpus = 1;
  double alone_s = 0;  // time alone on V100s
};

struct Profile {
  std::string_view name;
  std::string_view summary;
  Shape (*draw)(Random& random) = nullptr;
  double (*gap_s)(Random& random, double now_s, double jobs_per_h) = nullptr;  // to the next arrival
  bool at_once = false;                                                        // every job at 0
};

Profile philly_profile();

}  // namespace hadar::traces
