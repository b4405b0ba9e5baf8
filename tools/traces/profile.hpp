// What a profile draws. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/traces/random.hpp"

namespace hadar::traces {

struct Shape {
  std::uint32_t gpus = 1;
  double alone_s = 0;  // time alone on V100s
};

// A job of a profile that draws everything itself.
struct DrawnJob {
  double arrival_s = 0;
  Shape shape;
  std::string model;
  std::uint32_t batch_size = 1;
};

struct Profile {
  std::string_view name;
  std::string_view summary;
  Shape (*draw)(Random& random) = nullptr;
  double (*gap_s)(Random& random, double now_s, double jobs_per_h) = nullptr;  // to the next arrival
  bool at_once = false;                                                        // every job at 0
  // Draws all jobs itself; the two functions above are not used then.
  std::vector<DrawnJob> (*draw_all)(std::uint64_t jobs, double jobs_per_h, std::uint64_t seed, bool gangs) = nullptr;
  bool gangs = false;  // of draw_all
};

Profile philly_profile();

// Jobs as the public Gavel code generates them from a seed, to the last digit: that of the OSDI'20 figures, that of
// 2022.
std::vector<DrawnJob> gavel_2020_jobs(std::uint64_t jobs, double jobs_per_h, std::uint64_t seed, bool gangs);
std::vector<DrawnJob> gavel_2022_jobs(std::uint64_t jobs, double jobs_per_h, std::uint64_t seed, bool gangs);

}  // namespace hadar::traces
