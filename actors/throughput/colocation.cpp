#include "actors/throughput/colocation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <string>

namespace hadar {
namespace {

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

// 0 … count-1 in an order drawn from the generator, the same on every machine.
std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

// `fraction` of a row's cells, at least one.
ProfiledSpeeds profile_of(const KeptSpeeds& row, double fraction, std::mt19937_64& random) {
  const auto order = shuffled(row.size(), random);
  const auto count = std::max<std::size_t>(1, static_cast<std::size_t>(fraction * static_cast<double>(row.size())));
  ProfiledSpeeds profiled(row.size());
  for (std::size_t i = 0; i < std::min(count, row.size()); ++i) profiled[order[i]] = row[order[i]];
  return profiled;
}

// A type's cells beside the chosen partners.
KeptSpeeds beside(const ColocationTable& table, std::size_t row, const std::set<std::size_t>& chosen) {
  KeptSpeeds kept;
  for (std::size_t i = 0; i < table.partners.size(); ++i)
    if (chosen.contains(table.partners[i])) kept.push_back(table.rows[row][i]);
  return kept;
}

KeptSpeeds mean_of(const std::vector<KeptSpeeds>& rows) {
  KeptSpeeds mean(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) mean[i] += row[i] / static_cast<double>(rows.size());
  return mean;
}

}  // namespace

Result<ColocationEstimate> estimate_colocation(const std::vector<KeptSpeeds>& references,
                                               const ProfiledSpeeds& profiled, const CompletionSettings& settings) {
  PartialMatrix known;
  for (const auto& reference : references) known.emplace_back(reference.begin(), reference.end());
  known.push_back(profiled);
  const auto filled = complete(known, settings);
  if (!filled) return tl::unexpected<Error>(filled.error());
  ColocationEstimate estimate;
  double best = -2;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const double likeness = cosine(filled->back(), references[i]);
    if (likeness <= best) continue;
    best = likeness;
    estimate.reference = i;
  }
  if (!references.empty()) estimate.kept = references[estimate.reference];
  return estimate;
}

Result<ColocationCheck> check_colocation(const ColocationTable& table, std::size_t references, double fraction,
                                         const CompletionSettings& settings) {
  const auto& rows = table.rows;
  if (references < 1 || references >= rows.size())
    return fail(ErrorCode::kInvalidArgument, "references: got " + std::to_string(references) + ", must be 1 to " +
                                                 std::to_string(rows.size() - std::min<std::size_t>(1, rows.size())));
  if (!(fraction > 0 && fraction < 1)) return fail(ErrorCode::kInvalidArgument, "fraction: must be between 0 and 1");
  std::mt19937_64 random(settings.seed);
  const auto order = shuffled(rows.size(), random);
  const std::set<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(references));
  std::vector<KeptSpeeds> known;
  for (std::size_t i = 0; i < references; ++i) known.push_back(beside(table, order[i], chosen));
  const auto mean = mean_of(known);
  ColocationCheck check;
  for (std::size_t i = references; i < rows.size(); ++i) {
    const auto truth = beside(table, order[i], chosen);
    const auto profiled = profile_of(truth, fraction, random);
    const auto estimate = estimate_colocation(known, profiled, settings);
    if (!estimate) return tl::unexpected<Error>(estimate.error());
    ++check.job_types;
    for (std::size_t cell = 0; cell < truth.size(); ++cell) {
      if (profiled[cell]) continue;
      ++check.cells;
      check.mean_error += std::abs(estimate->kept[cell] - truth[cell]);
      check.mean_error_of_mean += std::abs(mean[cell] - truth[cell]);
    }
  }
  if (check.cells > 0) {
    check.mean_error /= static_cast<double>(check.cells);
    check.mean_error_of_mean /= static_cast<double>(check.cells);
  }
  return check;
}

}  // namespace hadar
