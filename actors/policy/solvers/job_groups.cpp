#include "actors/policy/solvers/job_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace hadar::solvers {
namespace {

constexpr int kMeans = 4;
constexpr double kCannotRun = -20;
constexpr double kSame = 1e-12;

using Point = std::vector<double>;

Point point_of(const Market& market, std::size_t job) {
  Point out;
  for (std::size_t j = 0; j < market.types; ++j)
    out.push_back(market.row(job)[j] > 0 ? std::log(market.row(job)[j]) : kCannotRun);
  return out;
}

double distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// Centres by farthest point first, then means.
std::vector<std::size_t> cluster(const std::vector<Point>& points, std::size_t most) {
  std::vector<Point> centres = {points.front()};
  std::vector<std::size_t> nearest(points.size(), 0);
  std::vector<double> away;
  for (const auto& point : points) away.push_back(distance(point, centres[0]));
  while (centres.size() < most) {
    const auto far = std::max_element(away.begin(), away.end());
    if (*far <= kSame) break;
    centres.push_back(points[static_cast<std::size_t>(far - away.begin())]);
    for (std::size_t p = 0; p < points.size(); ++p)
      if (const double d = distance(points[p], centres.back()); d < away[p]) {
        away[p] = d;
        nearest[p] = centres.size() - 1;
      }
  }
  for (int step = 0; step < kMeans; ++step) {
    std::vector<Point> sum(centres.size(), Point(points.front().size(), 0.0));
    std::vector<double> count(centres.size(), 0);
    for (std::size_t p = 0; p < points.size(); ++p) {
      count[nearest[p]] += 1;
      for (std::size_t j = 0; j < points[p].size(); ++j) sum[nearest[p]][j] += points[p][j];
    }
    for (std::size_t c = 0; c < centres.size(); ++c)
      for (std::size_t j = 0; count[c] > 0 && j < sum[c].size(); ++j) centres[c][j] = sum[c][j] / count[c];
    for (std::size_t p = 0; p < points.size(); ++p)
      for (std::size_t c = 0; c < centres.size(); ++c)
        if (distance(points[p], centres[c]) < distance(points[p], centres[nearest[p]])) nearest[p] = c;
  }
  return nearest;
}

}  // namespace

JobGroups group_jobs(const Market& market, std::size_t most) {
  std::map<double, std::vector<std::size_t>> by_gpus;
  for (std::size_t i = 0; i < market.jobs(); ++i) by_gpus[market.gpus[i]].push_back(i);
  JobGroups out;
  out.group_of.assign(market.jobs(), 0);
  for (const auto& [gpus, jobs] : by_gpus) {
    std::vector<Point> points;
    for (const auto job : jobs) points.push_back(point_of(market, job));
    const auto nearest = cluster(points, most);
    std::map<std::size_t, std::size_t> number;  // of clusters that have members
    for (std::size_t p = 0; p < jobs.size(); ++p) {
      const auto [at, fresh] = number.try_emplace(nearest[p], out.members.size());
      if (fresh) out.members.emplace_back();
      out.group_of[jobs[p]] = at->second;
      out.members[at->second].push_back(jobs[p]);
    }
  }
  return out;
}

}  // namespace hadar::solvers
