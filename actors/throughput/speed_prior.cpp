#include "actors/throughput/speed_prior.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace hadar {
namespace {

constexpr double kBatch = 32;
constexpr std::size_t kUnknowns = 3;
using Terms = std::array<double, kUnknowns>;  // factors of log_scale, batch, complexity

struct Sample {
  Terms terms;
  double log_speed;  // less what does not depend on the unknowns
};

const std::array<std::pair<std::string_view, Complexity>, 14> kClasses = {{
    {"recommendation", Complexity::kLow},
    {"weather", Complexity::kLow},
    {"image", Complexity::kLow},
    {"resnet18", Complexity::kModerate},
    {"lm", Complexity::kModerate},
    {"lstm", Complexity::kModerate},
    {"resnet50", Complexity::kHigh},
    {"transformer", Complexity::kHigh},
    {"bert", Complexity::kHigh},
    {"vgg16", Complexity::kHigh},
    {"cyclegan", Complexity::kExtreme},
    {"a3c", Complexity::kExtreme},
    {"gpt2", Complexity::kExtreme},
    {"yolov3", Complexity::kExtreme},
}};

Terms terms_of(std::uint32_t batch_size, Complexity model) {
  return {1, std::log(std::max<double>(1, batch_size) / kBatch), static_cast<double>(model)};
}

std::vector<ThroughputRow> usable(const ThroughputTable& table) {
  std::vector<ThroughputRow> rows;
  for (const auto& row : table)
    if (row.gpus == 1 && row.placement == Placement::kPacked && row.steps_per_s > 0 && facts_of(row.type))
      rows.push_back(row);
  return rows;
}

Sample sample_of(const ThroughputRow& row) {
  return {terms_of(row.batch_size, complexity_of(row.model)),
          std::log(row.steps_per_s / performance_index(*facts_of(row.type)))};
}

// Solves the normal equations by elimination with pivots; false when they have no single answer.
bool least_squares(const std::vector<Sample>& samples, Terms& answer) {
  std::array<std::array<double, kUnknowns + 1>, kUnknowns> m{};
  for (const auto& sample : samples)
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      for (std::size_t j = 0; j < kUnknowns; ++j) m[i][j] += sample.terms[i] * sample.terms[j];
      m[i][kUnknowns] += sample.terms[i] * sample.log_speed;
    }
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i + 1; k < kUnknowns; ++k)
      if (std::abs(m[k][i]) > std::abs(m[pivot][i])) pivot = k;
    if (std::abs(m[pivot][i]) < 1e-9) return false;
    std::swap(m[i], m[pivot]);
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      const double factor = k == i ? 0 : m[k][i] / m[i][i];
      for (std::size_t j = 0; j <= kUnknowns; ++j) m[k][j] -= factor * m[i][j];
    }
  }
  for (std::size_t i = 0; i < kUnknowns; ++i) answer[i] = m[i][kUnknowns] / m[i][i];
  return true;
}

double log_error(const SpeedPrior& prior, const ThroughputRow& row) {
  return std::log(prior.steps_per_s(*facts_of(row.type), row.batch_size, complexity_of(row.model)) / row.steps_per_s);
}

PriorError error_of(const SpeedPrior& prior, const std::string& model, const std::vector<ThroughputRow>& rows) {
  std::map<std::uint32_t, std::map<GpuType, double>> by_batch;  // log errors
  for (const auto& row : rows) by_batch[row.batch_size][row.type] = log_error(prior, row);
  PriorError error{model, rows.size(), 0, 0};
  std::size_t others = 0;
  for (const auto& [batch, errors] : by_batch)
    for (const auto& [type, off] : errors) {
      error.factor_unseen += std::abs(off) / static_cast<double>(rows.size());
      if (type == errors.rbegin()->first) continue;
      error.factor_measured += std::abs(off - errors.rbegin()->second);
      ++others;
    }
  error.factor_unseen = std::exp(error.factor_unseen);
  error.factor_measured = std::exp(others > 0 ? error.factor_measured / static_cast<double>(others) : 0);
  return error;
}

}  // namespace

Complexity complexity_of(std::string_view model) {
  std::string name;
  for (const char c : model)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [known, complexity] : kClasses)
    if (name == known) return complexity;
  return Complexity::kModerate;
}

double SpeedPrior::steps_per_s(const GpuFacts& gpu, std::uint32_t batch_size, Complexity model) const {
  const auto terms = terms_of(batch_size, model);
  return performance_index(gpu) * std::exp(log_scale + batch * terms[1] + complexity * terms[2]);
}

SpeedPrior calibrated_prior() {
  return {5.408, -0.591, -1.794};
}

Result<SpeedPrior> fit_prior(const ThroughputTable& table) {
  std::vector<Sample> samples;
  for (const auto& row : usable(table)) samples.push_back(sample_of(row));
  Terms answer{};
  if (!least_squares(samples, answer))
    return fail(ErrorCode::kInvalidArgument,
                "prior: the table has " + std::to_string(samples.size()) +
                    " rows of one GPU on known types; it must have several batch sizes and classes of models");
  return SpeedPrior{answer[0], answer[1], answer[2]};
}

Result<std::vector<PriorError>> leave_one_model_out(const ThroughputTable& table) {
  const auto rows = usable(table);
  std::set<std::string> models;
  for (const auto& row : rows) models.insert(row.model);
  std::vector<PriorError> errors;
  for (const auto& model : models) {
    ThroughputTable seen;
    std::vector<ThroughputRow> unseen;
    for (const auto& row : rows) (row.model == model ? unseen : seen).push_back(row);
    const auto prior = fit_prior(seen);
    if (!prior) return tl::unexpected<Error>(prior.error());
    errors.push_back(error_of(*prior, model, unseen));
  }
  return errors;
}

}  // namespace hadar
