#include "actors/tracker/throughput_book_actor.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <optional>
#include <vector>

namespace hadar::throughput_book {
namespace {

// A view with its estimates, as last given.
struct Estimated {
  JobId job;
  std::shared_ptr<const JobView> plain;
  std::shared_ptr<const JobView> view;
};

struct State {
  static inline const char* name = "throughput_book";

  std::optional<ThroughputBook> book;
  std::vector<Estimated> estimated;  // of the jobs asked for last, rising
  JobSpecsPtr paired;                // whose pairs those are
  PairTable pairs;
};

using Self = ThroughputBookActor::stateful_pointer<State>;

// Makes the entries those of `jobs`; both in the order of ids.
void align(std::vector<Estimated>& entries, const JobViews& jobs) {
  const auto same = [](const Estimated& entry, const auto& job) { return entry.job == job->job; };
  if (std::equal(entries.begin(), entries.end(), jobs.begin(), jobs.end(), same)) return;
  std::vector<Estimated> aligned;
  aligned.reserve(jobs.size());
  auto known = entries.begin();
  for (const auto& job : jobs) {
    while (known != entries.end() && known->job < job->job) ++known;
    const bool there = known != entries.end() && known->job == job->job;
    aligned.push_back(there ? std::move(*known++) : Estimated{job->job, {}, {}});
  }
  entries = std::move(aligned);
}

void refresh(const ThroughputBook& book, const ThroughputBook::News& news, Estimated& known,
             const std::shared_ptr<const JobView>& plain, const JobSpec& spec) {
  const bool old = known.view && !(news.any() && news.about(plain->job, spec));
  if (old && known.plain == plain) return;
  auto view = *plain;
  view.estimates = old ? known.view->estimates : book.estimates_for(plain->job, spec);
  known.plain = plain;
  known.view = std::make_shared<const JobView>(std::move(view));
}

// The same list of specs is asked about again until a job comes or goes.
const PairTable& pairs_for(State& state, const JobSpecsPtr& specs) {
  if (state.paired != specs) state.pairs = state.book->pairs_of(*specs);
  state.paired = specs;
  return state.pairs;
}

JobsViewed estimate(Self self, EstimateJobs& request) {
  auto& state = self->state;
  auto& jobs = request.viewed.jobs;
  const auto news = state.book->take_news();
  align(state.estimated, jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    refresh(*state.book, news, state.estimated[i], jobs[i], *request.specs->at(i));
    jobs[i] = state.estimated[i].view;
  }
  if (request.pairs) request.viewed.pairs = pairs_for(state, request.specs);
  return std::move(request.viewed);
}

ThroughputBookActor::behavior_type behavior(Self self, ThroughputBook book) {
  self->state.book.emplace(std::move(book));
  return {
      [self](EstimateJobs& request) { return estimate(self, request); },
      [self](const MeasuredSpeed& m) { self->state.book->measured(m.job, *m.spec, m.type, m.steps, m.train_s); },
  };
}

}  // namespace
}  // namespace hadar::throughput_book

namespace hadar {

ThroughputBookActor spawn_throughput_book(caf::actor_system& system, SpawnMode mode, ThroughputBook book) {
  return spawn_as(system, mode, throughput_book::behavior, std::move(book));
}

}  // namespace hadar
