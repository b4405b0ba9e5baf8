// What simulations achieved, from their result files (`hadar simulate --json`): policies side by side over seeds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/types/result.hpp"
#include "tools/report/interval.hpp"

namespace hadar::report {

struct PolicyResult {
  std::string policy;
  std::vector<std::uint64_t> seeds;
  std::uint64_t jobs = 0;  // over all seeds, as is `completed`
  std::uint64_t completed = 0;
  std::map<std::string, Interval> figures;         // by the key in the file, e.g. "makespan_s"; absent = nothing told
  std::vector<std::pair<double, double>> jct_cdf;  // seconds -> part of the completed jobs; at most 201 points, rising
};

struct Results {
  std::string file;
  std::string provenance;              // JSON
  std::vector<PolicyResult> policies;  // in the order of the file
};

// Whether a file holds results rather than events: by its beginning only.
bool is_results_file(const std::string& file);

// Errors: kIo, kInvalidArgument naming file and key.
Result<Results> load_results(const std::string& file);
// The same from text; `name` stands for the file in errors.
Result<Results> parse_results(const std::string& text, const std::string& name);

// A table for LaTeX (package booktabs): one row a policy, times in hours, ± half the 95 % interval.
std::string latex_table(const std::vector<Results>& results);

// [{file, provenance, policies: [{policy, seeds, jobs, completed, figures{key: {mean, half}}, jct_cdf}]}]
std::string results_json(const std::vector<Results>& results);

}  // namespace hadar::report
