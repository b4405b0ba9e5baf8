#include "actors/policy/round_mechanism/embedded_program.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hadar::embedded {
namespace {

// ECOS's settings.
constexpr int kScalings = 3;
constexpr double kNoScale = 1e-6;

// Calls see(row, column, entry) for every place of G that may differ from 0.
template <typename Of, typename See>
void each_entry(Of& p, const See& see) {
  for (std::size_t i = 0; i < p.jobs; ++i) {
    const auto first = i * p.width;
    for (std::size_t j = 0; j < p.types; ++j) {
      see(p.share_row(i, j), first + j, p.positive[i * p.types + j]);
      see(p.capacity_row(j), first + j, p.capacity[i * p.types + j]);
    }
    for (std::size_t r = 0; r < p.job_rows(); ++r)
      for (std::size_t k = 0; k < p.width; ++k) see(p.job_row(i, r), first + k, p.entries_of(i, r)[k]);
    if (p.level) see(p.job_row(i, Program::kLevelRow), p.level_column(), p.lift[i]);
  }
}

// What to divide by: the root of the largest entry, or of the sum of a cone's.
void to_scales(Vector& largest) {
  for (auto& value : largest) value = value < kNoScale ? 1 : std::sqrt(value);
}

}  // namespace

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Program::Program(const CentralProgram& program)
    : jobs(program.gpus.size()),
      types(program.capacity.size()),
      level(program.goal == CentralGoal::kMaxMin || (program.goal == CentralGoal::kFinish && jobs > 1)),
      width(types + (program.goal == CentralGoal::kFinish ? 1 : 0)),
      own(program.goal == CentralGoal::kMaxMin && !program.floor.empty() ? 3
          : level || program.goal == CentralGoal::kFloors                ? 2
                                                                         : 1),
      shape{jobs * (types + own) + types, program.goal == CentralGoal::kFinish ? jobs : 0} {
  write(program);
  scale();
}

void Program::write(const CentralProgram& program) {
  positive.assign(jobs * types, -1);
  capacity.resize(jobs * types);
  entries.assign(jobs * job_rows() * width, 0);
  lift.assign(jobs, -1);
  h.assign(shape.rows(), 0);
  c.assign(columns(), 0);
  if (level) c[level_column()] = 1;
  for (std::size_t j = 0; j < types; ++j) h[capacity_row(j)] = program.capacity[j];
  for (std::size_t i = 0; i < jobs; ++i) write_job(program, i);
}

void Program::write_job(const CentralProgram& program, std::size_t i) {
  const auto& value = program.value[i];
  const auto at_least = [&](std::size_t r, const Vector& counted, double h_of_row) {
    for (std::size_t j = 0; j < types; ++j) entries_of(i, r)[j] = -counted[j];
    h[job_row(i, r)] = h_of_row;
  };
  for (std::size_t j = 0; j < types; ++j) {
    capacity[i * types + j] = program.gpus[i];
    entries_of(i, kTimeRow)[j] = 1;
  }
  h[job_row(i, kTimeRow)] = 1;
  switch (program.goal) {
    case CentralGoal::kSum:
      for (std::size_t j = 0; j < types; ++j) c[i * width + j] = -value[j];
      break;
    case CentralGoal::kMaxMin:
      at_least(kLevelRow, value, program.head_start.empty() ? 0 : program.head_start[i]);
      if (own > kFloorRow) at_least(kFloorRow, program.floor_value[i], -program.floor[i]);
      break;
    case CentralGoal::kFloors: at_least(kLevelRow, value, -program.floor[i]); break;
    case CentralGoal::kFinish: write_cone(program, i); break;
  }
}

// (age + work q) / fair <= level, and s = (u + q, u - q, 2) in the cone.
void Program::write_cone(const CentralProgram& program, std::size_t i) {
  const auto slope = program.work[i] / program.fair[i];
  if (level) {
    entries_of(i, kLevelRow)[types] = slope;
    h[job_row(i, kLevelRow)] = -program.age[i] / program.fair[i];
  } else {
    c[types] = slope;
  }
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t j = 0; j < types; ++j) entries_of(i, own + r)[j] = -program.value[i][j];
    entries_of(i, own + r)[types] = r == 0 ? -1 : 1;
  }
  h[job_row(i, own + 2)] = 2;
}

void Program::scale() {
  column_scale_.assign(columns(), 1);
  for (int pass = 0; pass < kScalings; ++pass) {
    Vector row(shape.rows(), 0.0);
    Vector column(columns(), 0.0);
    each_entry(*this, [&](std::size_t r, std::size_t k, double entry) {
      row[r] = std::max(row[r], std::abs(entry));
      column[k] = std::max(column[k], std::abs(entry));
    });
    for (auto r = shape.linear; r < shape.rows(); r += kConeRows)
      row[r] = row[r + 1] = row[r + 2] = row[r] + row[r + 1] + row[r + 2];
    to_scales(row);
    to_scales(column);
    each_entry(*this, [&](std::size_t r, std::size_t k, double& entry) { entry /= row[r] * column[k]; });
    for (std::size_t r = 0; r < h.size(); ++r) h[r] /= row[r];
    for (std::size_t k = 0; k < c.size(); ++k) c[k] /= column[k];
    for (std::size_t k = 0; k < c.size(); ++k) column_scale_[k] *= column[k];
  }
}

Vector Program::times(const Vector& x) const {
  Vector out(shape.rows(), 0.0);
  each_entry(*this, [&](std::size_t r, std::size_t k, double entry) { out[r] += entry * x[k]; });
  return out;
}

Vector Program::transposed_times(const Vector& z) const {
  Vector out(columns(), 0.0);
  each_entry(*this, [&](std::size_t r, std::size_t k, double entry) { out[k] += entry * z[r]; });
  return out;
}

std::vector<Vector> Program::shares(const Vector& x) const {
  std::vector<Vector> out(jobs, Vector(types));
  for (std::size_t i = 0; i < jobs; ++i)
    for (std::size_t j = 0; j < types; ++j) out[i][j] = x[i * width + j] / column_scale_[i * width + j];
  return out;
}

}  // namespace hadar::embedded
