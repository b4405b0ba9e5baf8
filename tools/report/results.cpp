#include "tools/report/results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

namespace hadar::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kFigures{"makespan_s", "avg_jct_s", "p50_jct_s", "p99_jct_s",   "avg_queueing_s", "gru",   "cru",
                              "ftf_max",    "ftf_avg",   "cost",      "preemptions", "consolidations", "rounds"};
constexpr std::size_t kCdfSteps = 200;

// What was gathered of one policy.
struct Gathered {
  PolicyResult result;
  std::map<std::string, std::vector<double>> figures;
  std::vector<double> jct_s;
};

tl::unexpected<Error> wrong(const std::string& name, const std::string& key, const std::string& must) {
  return fail(ErrorCode::kInvalidArgument, name + ": " + key + ", must be " + must);
}

std::optional<std::uint64_t> count_at(const Json& run, const char* key) {
  const auto found = run.find(key);
  if (found == run.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

Status gather(const Json& run, const std::string& where, Gathered& into) {
  for (const char* key : {"seed", "jobs", "completed"})
    if (!count_at(run, key)) return wrong(where, key, "a whole number");
  into.result.seeds.push_back(*count_at(run, "seed"));
  into.result.jobs += *count_at(run, "jobs");
  into.result.completed += *count_at(run, "completed");
  for (const char* key : kFigures) {
    const auto found = run.find(key);
    if (found == run.end() || found->is_null()) continue;
    if (!found->is_number()) return wrong(where, key, "a number or null");
    into.figures[key].push_back(found->get<double>());
  }
  const auto jcts = run.find("jct_s");
  if (jcts == run.end() || !jcts->is_array()) return wrong(where, "jct_s", "an array");
  for (const auto& jct : *jcts) {
    if (jct.is_null()) continue;
    if (!jct.is_number()) return wrong(where, "jct_s", "an array of numbers and nulls");
    into.jct_s.push_back(jct.get<double>());
  }
  return {};
}

std::vector<std::pair<double, double>> cdf_of(std::vector<double> values) {
  std::vector<std::pair<double, double>> cdf;
  std::sort(values.begin(), values.end());
  const auto steps = std::min(kCdfSteps, values.size());
  for (std::size_t i = 1; i <= steps; ++i) {
    const auto rank = (i * values.size() + steps - 1) / steps;
    cdf.emplace_back(values[rank - 1], static_cast<double>(rank) / static_cast<double>(values.size()));
  }
  return cdf;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
    if (c == '\\')
      out += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      out += std::string("\\") + c + "{}";
    else
      out += c;
  }
  return out;
}

// Four digits of the mean; the interval with as many decimals.
std::string cell(const PolicyResult& policy, const std::string& key, double unit) {
  const auto found = policy.figures.find(key);
  if (found == policy.figures.end()) return "--";
  const double mean = found->second.mean / unit;
  const int whole = std::abs(mean) < 1 ? 0 : static_cast<int>(std::min(3.0, std::floor(std::log10(std::abs(mean)))));
  const auto& half = found->second.half;
  return fmt::format("{:.{}f}", mean, 3 - whole) +
         (half ? fmt::format(" $\\pm$ {:.{}f}", *half / unit, 3 - whole) : "");
}

}  // namespace

bool is_results_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  while (std::getline(in, line) && line.find_first_not_of(" \t\r") == std::string::npos) {
  }
  const auto first = Json::parse(line, nullptr, false);
  if (!first.is_discarded()) return first.is_object() && first.contains("runs");
  const auto start = line.find_first_not_of(" \t");
  return start != std::string::npos && line.find_last_not_of(" \t\r") == start && line[start] == '{';
}

Result<Results> parse_results(const std::string& text, const std::string& name) {
  const auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    return wrong(name, "the file", "one JSON object of hadar simulate --json");
  const auto runs = json.find("runs");
  if (runs == json.end() || !runs->is_array() || runs->empty())
    return wrong(name, "runs", "an array of at least one run");
  std::vector<Gathered> all;
  for (std::size_t i = 0; i < runs->size(); ++i) {
    const auto& run = (*runs)[i];
    const auto where = name + ": run " + std::to_string(i + 1);
    if (!run.is_object() || !run.contains("policy") || !run["policy"].is_string())
      return wrong(where, "policy", "a name");
    const auto policy = run["policy"].get<std::string>();
    auto found = std::find_if(all.begin(), all.end(), [&](const Gathered& g) { return g.result.policy == policy; });
    if (found == all.end()) {
      all.emplace_back();
      all.back().result.policy = policy;
      found = all.end() - 1;
    }
    if (auto read = gather(run, where, *found); !read) return fail(std::move(read));
  }
  Results results{name, json.contains("provenance") ? json["provenance"].dump(2) : "{}", {}};
  for (auto& gathered : all) {
    for (const auto& [key, values] : gathered.figures)  // a mean over some of the seeds would pass for one over all
      if (values.size() == gathered.result.seeds.size()) gathered.result.figures[key] = interval_of(values);
    gathered.result.jct_cdf = cdf_of(std::move(gathered.jct_s));
    results.policies.push_back(std::move(gathered.result));
  }
  return results;
}

Result<Results> load_results(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorCode::kIo, file + ": cannot be read; give a file of hadar simulate --json");
  return parse_results({std::istreambuf_iterator<char>(in), {}}, file);
}

std::string latex_table(const std::vector<Results>& results) {
  std::string out =
      "\\begin{tabular}{lrrrrrrr}\n\\toprule\n"
      "Policy & Makespan (h) & Mean JCT (h) & P99 JCT (h) & Queueing (h) & GRU & CRU & FTF max \\\\\n\\midrule\n";
  for (const auto& file : results) {
    if (results.size() > 1) out += "\\multicolumn{8}{l}{" + escaped(file.file) + "} \\\\\n";
    for (const auto& policy : file.policies) {
      out += escaped(policy.policy);
      for (const char* key : {"makespan_s", "avg_jct_s", "p99_jct_s", "avg_queueing_s"})
        out += " & " + cell(policy, key, 3600);
      for (const char* key : {"gru", "cru", "ftf_max"}) out += " & " + cell(policy, key, 1);
      out += " \\\\\n";
    }
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string results_json(const std::vector<Results>& results) {
  Json out = Json::array();
  for (const auto& file : results) {
    Json policies = Json::array();
    for (const auto& policy : file.policies) {
      Json figures = Json::object();
      for (const auto& [key, interval] : policy.figures)
        figures[key] = {{"mean", interval.mean}, {"half", interval.half ? Json(*interval.half) : Json(nullptr)}};
      policies.push_back({{"policy", policy.policy},
                          {"seeds", policy.seeds},
                          {"jobs", policy.jobs},
                          {"completed", policy.completed},
                          {"figures", std::move(figures)},
                          {"jct_cdf", policy.jct_cdf}});
    }
    out.push_back({{"file", file.file}, {"provenance", file.provenance}, {"policies", std::move(policies)}});
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hadar::report
