// What a recipe found, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/repro/measure.hpp"

namespace hadar::repro {

struct Grid {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as many cells as the header
};

struct Section {
  std::string title;
  std::vector<Grid> grids;
  std::vector<std::string> notes;
};

struct Report {
  std::vector<std::string> header;  // what was set up, a line each
  std::vector<Section> sections;
  nlohmann::ordered_json json;  // the same, as numbers; an object
};

// One section per outcome: every scheme's own figures, then the comparisons, each with its 95 % interval over seeds,
// the ceiling over any scheduler, and what was published. `json` holds "experiments".
Report report_of(const std::vector<Outcome>& outcomes, const std::vector<std::uint64_t>& seeds);

// Adds a section that sums a comparison up over all outcomes that have it: the mean of their means, and the ratio of
// the means; `json` gets "over_all".
void add_summary(Report& report, const std::vector<Outcome>& outcomes, const std::vector<Comparison>& comparisons);

// "TTD, times shorter" and the like.
std::string title_of(const Comparison& comparison);

}  // namespace hadar::repro
