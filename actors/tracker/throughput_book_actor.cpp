#include "actors/tracker/throughput_book_actor.hpp"

#include <caf/all.hpp>

namespace hadar::throughput_book {
namespace {

JobsEstimated estimate(const ThroughputBook& book, const EstimateJobs& request) {
  JobsEstimated estimated;
  estimated.jobs.reserve(request.jobs.size());
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    auto view = *request.jobs[i];
    view.estimates = book.estimates_for(view.job, *request.specs[i]);
    estimated.jobs.push_back(std::make_shared<const JobView>(std::move(view)));
  }
  if (request.pairs) estimated.pairs = book.pairs_of(request.specs);
  return estimated;
}

ThroughputBookActor::behavior_type behavior(ThroughputBook book) {
  auto shared = std::make_shared<ThroughputBook>(std::move(book));
  return {
      [shared](const EstimateJobs& request) { return estimate(*shared, request); },
      [shared](const MeasuredSpeed& m) { shared->measured(m.job, *m.spec, m.type, m.steps, m.train_s); },
  };
}

}  // namespace
}  // namespace hadar::throughput_book

namespace hadar {

ThroughputBookActor spawn_throughput_book(caf::actor_system& system, SpawnMode mode, ThroughputBook book) {
  return spawn_as(system, mode, throughput_book::behavior, std::move(book));
}

}  // namespace hadar
