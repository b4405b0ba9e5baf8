#include "tools/repro/sia_speeds.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "runtime/config/csv.hpp"

namespace hadar::repro {
namespace {

namespace fs = std::filesystem;

struct Kind {
  const char* file;
  const char* type;
};
constexpr std::array kKinds{Kind{"aws", "T4"}, Kind{"rtx", "RTX2080Ti"}, Kind{"dgx-ext", "A100"}};

// Step times by batch size of one GPU, for one number of GPUs and one placement.
using ByBatch = std::map<double, double>;
using Measured = std::map<std::pair<Placement, std::uint32_t>, ByBatch>;

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
    return std::nullopt;
  return value;
}

Result<Measured> read_measured(const fs::path& file) {
  const auto table = load_csv(file);
  if (!table) return tl::unexpected<Error>(table.error());
  if (table->header.cells != std::vector<std::string>{"local_bsz", "step_time", "sync_time", "placement"})
    return fail(ErrorCode::kInvalidArgument,
                file.string() + ":1: the header must be local_bsz,step_time,sync_time,placement");
  std::map<std::pair<Placement, std::uint32_t>, std::pair<std::size_t, ByBatch>> fewest;  // by nodes
  for (const auto& row : table->rows) {
    const auto batch = number_in(row.cells[0]);
    const auto step_s = number_in(row.cells[1]);
    if (!batch || !step_s) return tl::unexpected<Error>(table->cell_error(row, batch ? 1 : 0, "a number above 0"));
    std::uint32_t gpus = 0;
    for (const char digit : row.cells[3]) gpus += static_cast<std::uint32_t>(digit - '0');
    if (row.cells[3].find_first_not_of("123456789") != std::string::npos || gpus == 0)
      return tl::unexpected<Error>(table->cell_error(row, 3, "digits from 1 to 9, the GPUs used on each node"));
    const auto nodes = row.cells[3].size();
    auto& [known, times] = fewest[{nodes > 1 ? Placement::kSpread : Placement::kPacked, gpus}];
    if (times.empty() || nodes < known) {
      known = nodes;
      times.clear();
    }
    if (nodes == known) times[*batch] = *step_s;
  }
  Measured measured;
  for (auto& [key, entry] : fewest) measured[key] = std::move(entry.second);
  return measured;
}

double step_time(const ByBatch& times, double batch) {
  const auto above = times.lower_bound(batch);
  if (above == times.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == times.end()) return below->second * std::ceil(batch / below->first);
  const double part = (batch - below->first) / (above->first - below->first);
  return below->second + part * (above->second - below->second);
}

// The measured times of the largest gang that is not larger.
const ByBatch* times_for(const Measured& measured, Placement placement, std::uint32_t gpus) {
  const ByBatch* best = nullptr;
  for (const auto& [key, times] : measured)
    if (key.first == placement && key.second <= gpus) best = &times;
  return best;
}

void add_rows(const Measured& measured, const GpuType& type, const SiaJobType& job, ThroughputTable& table) {
  for (const auto placement : {Placement::kPacked, Placement::kSpread}) {
    if (placement == Placement::kSpread && job.gpus == 1) continue;
    if (const auto* times = times_for(measured, placement, job.gpus))
      table.push_back({job.application, job.batch_size, job.gpus, type, placement,
                       1 / step_time(*times, static_cast<double>(job.batch_size))});
  }
}

}  // namespace

Result<ThroughputTable> sia_speeds(const fs::path& folder, const std::vector<SiaJobType>& types) {
  ThroughputTable table;
  std::set<std::string> applications;
  for (const auto& type : types) applications.insert(type.application);
  for (const auto& application : applications)
    for (const auto& kind : kKinds) {
      const auto file = folder / "traces" / application / ("placements-" + std::string(kind.file) + ".csv");
      if (!fs::exists(file)) continue;
      const auto measured = read_measured(file);
      if (!measured) return tl::unexpected<Error>(measured.error());
      for (const auto& type : types)
        if (type.application == application) add_rows(*measured, kind.type, type, table);
    }
  if (table.empty())
    return fail(ErrorCode::kNotFound,
                folder.string() + ": no traces/APP/placements-….csv of Sia's artifact; give its folder sia-simulator");
  return table;
}

}  // namespace hadar::repro
