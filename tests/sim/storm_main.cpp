// hadar_storm FIRST LAST [POLICY]: storms of these seeds until one goes wrong; of one seed alone also the plan and the
// events.
#include <cstdlib>
#include <iostream>

#include "tests/sim/storm.hpp"

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "hadar_storm: give the first and the last seed, and perhaps a policy\n";
    return 2;
  }
  const auto first = std::strtoull(argv[1], nullptr, 10);
  const auto last = std::strtoull(argv[2], nullptr, 10);
  const std::string policy = argc == 4 ? argv[3] : "";
  for (auto seed = first; seed <= last; ++seed) {
    const auto outcome = hadar::run_storm(seed, policy, first == last ? &std::cerr : nullptr);
    if (first == last) std::cout << outcome.events;
    if (outcome.wrong.empty()) continue;
    if (first != last) std::cerr << outcome.plan;
    std::cerr << outcome.wrong << "tests/sim/run-storm " << seed << ".." << seed << (policy.empty() ? "" : " ")
              << policy << " repeats it\n";
    return 1;
  }
  std::cerr << "seeds " << first << " to " << last << (policy.empty() ? "" : " under ") << policy << ": all holds\n";
  return 0;
}
