#include "launchers/estimate_check.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace hadar {
namespace {

std::string type_name(const std::string& model, std::uint32_t batch_size) {
  return model + " (batch size " + std::to_string(batch_size) + ")";
}

// What each single-GPU job type keeps beside each other one, by (GPU type, partner). Columns that are not measured for
// every job type are left out and counted.
ColocationTable colocation_of(const ThroughputFile& file, std::size_t& left_out) {
  std::map<std::pair<std::string, GpuType>, double> alone;
  std::map<std::string, std::size_t> row_of;
  for (const auto& row : file.rows) {
    if (row.gpus != 1 || row.placement != Placement::kPacked) continue;
    alone[{type_name(row.model, row.batch_size), row.type}] = row.steps_per_s;
  }
  std::map<std::pair<GpuType, std::string>, std::map<std::string, double>> kept;  // by column, then job type
  const auto add = [&](const std::string& job, const std::string& partner, const GpuType& type, double steps_per_s) {
    const auto own = alone.find({job, type});
    if (own == alone.end()) return;
    row_of.try_emplace(job, 0);
    kept[{type, partner}][job] = std::min(1.0, steps_per_s / own->second);
  };
  for (const auto& shared : file.shared) {
    const auto& row = shared.row;
    if (row.gpus != 1) continue;
    const auto job = type_name(row.model, row.batch_size);
    const auto partner = shared.partner_batch_size == 0 ? type_name(shared.partner, row.batch_size)
                                                        : type_name(shared.partner, shared.partner_batch_size);
    add(job, partner, row.type, row.steps_per_s);
    add(partner, job, row.type, shared.partner_steps_per_s);
  }
  ColocationTable table;
  for (auto& [job, row] : row_of) {
    row = table.rows.size();
    table.rows.emplace_back();
  }
  for (const auto& [column, cells] : kept) {
    const auto partner = row_of.find(column.second);
    if (partner == row_of.end() || cells.size() != row_of.size()) {
      ++left_out;
      continue;
    }
    table.partners.push_back(partner->second);
    for (const auto& [job, part] : cells) table.rows[row_of.at(job)].push_back(part);
  }
  return table;
}

}  // namespace

Result<EstimateCheck> check_estimates(const ThroughputFile& file, const EstimateCheckOptions& options) {
  EstimateCheck check;
  const auto prior = fit_prior(file.rows);
  if (!prior) return tl::unexpected<Error>(prior.error());
  check.prior = *prior;
  auto models = leave_one_model_out(file.rows);
  if (!models) return tl::unexpected<Error>(models.error());
  check.models = *std::move(models);
  const auto table = colocation_of(file, check.columns_left_out);
  CompletionSettings completion;
  completion.seed = options.seed;
  const auto colocation = check_colocation(table, options.references, options.profiled, completion);
  if (!colocation) return tl::unexpected<Error>(colocation.error());
  check.colocation = *colocation;
  return check;
}

}  // namespace hadar
