// What trainers say, and what their exits say.
#include <algorithm>
#include <system_error>
#include <utility>

#include "runtime/executor/executor_core.hpp"

namespace hadar {
namespace {
constexpr double kLastWordsS = 0.1;  // an ended trainer's last message may still be on its way
}  // namespace

void ExecutorCore::pump() {
  while (const auto incoming = server_->receive()) hear(*incoming);
  frames_refused_ = server_->dropped();
}

void ExecutorCore::hear(const TrainerServer::Incoming& incoming) {
  const auto known = tokens_.find(incoming.token);
  Crew* crew = known == tokens_.end() ? nullptr : find(known->second);
  if (crew == nullptr) return;
  CrewMember& member = *member_of(*crew, incoming.token);
  if (std::holds_alternative<TrainerHello>(incoming.message)) return on_hello(*crew, member);
  const bool first = &member == &crew->members.front();
  if (const auto* progress = std::get_if<TrainerProgress>(&incoming.message)) {
    if (first && crew->lease && crew->lease->run.lease.id == progress->lease) on_progress(*crew, *progress);
  } else if (const auto* saved = std::get_if<TrainerSaved>(&incoming.message)) {
    if (crew->lease && crew->lease->run.lease.id == saved->lease) on_saved(*crew, member, *saved);
  }
}

void ExecutorCore::on_hello(Crew& crew, CrewMember& member) {
  member.greeted = true;
  if (crew.retiring && !crew.lease) {
    (void)server_->send(member.token, TrainerExit{});  // if it is gone already, all the better
    return;
  }
  if (!crew.greeted()) return;
  loop_.cancel(crew.limit);
  if (crew.lease && !crew.lease->failure)
    send_lease(crew);
  else if (!crew.lease)
    trim_warm();
}

void ExecutorCore::on_progress(Crew& crew, const TrainerProgress& progress) {
  if (!std::exchange(crew.lease->entered, true)) emit(executor_event::Started{progress.lease});
  emit(executor_event::Progressed{progress.lease, progress.steps, progress.train_s});
}

void ExecutorCore::on_saved(Crew& crew, CrewMember& member, const TrainerSaved& saved) {
  if (saved.over) return on_over(crew, member, saved);
  if (&member != &crew.members.front() || crew.lease->failure) return;
  auto weights = accept_weights(*crew.lease, saved.weights_path);
  if (!weights) return fail_lease(crew, {LeaseEndReason::kFailed, weights.error().message});
  emit(executor_event::Saved{.lease = saved.lease,
                             .steps = saved.steps,
                             .samples = saved.samples,
                             .weights = *std::move(weights),
                             .metrics = saved.metrics,
                             .train_s = saved.train_s,
                             .pace_missed_s = saved.pace_missed_s});
}

void ExecutorCore::on_over(Crew& crew, CrewMember& member, const TrainerSaved& saved) {
  if (member.words) return;
  member.words = saved;
  if (saved.end == LeaseEndReason::kFailed)
    return fail_lease(crew, {LeaseEndReason::kFailed, saved.detail, crew.world_size == 1});
  if (crew.lease->failure) return;
  const bool all =
      std::all_of(crew.members.begin(), crew.members.end(), [](const auto& m) { return m.words.has_value(); });
  if (all) return conclude(crew);
  if (!crew.lease->stopping) arm_limit(crew, options_.stop_grace_s, "a member of the gang did not end with the others");
}

// Weights must be a file of this lease in the work folder; it belongs to the sink's owner from now on.
Result<std::filesystem::path> ExecutorCore::accept_weights(CrewLease& lease, const std::string& path) const {
  if (path.empty()) return std::filesystem::path();
  std::error_code unreadable;
  const bool ours =
      path.starts_with(lease.result_path + ".") && path.find('/', lease.result_path.size()) == std::string::npos;
  if (!ours || !std::filesystem::is_regular_file(path, unreadable))
    return fail(ErrorCode::kInvalidArgument,
                "the trainer named '" + path + "' as its weights; they must be a file at hadar_result_path");
  lease.handed_out.insert(path);
  return std::filesystem::path(path);
}

void ExecutorCore::on_exit(CrewNumber number, const std::string& token, const ChildExit& exit) {
  Crew* crew = find(number);
  if (crew == nullptr) return;
  const bool may_have_spoken = crew->lease && !crew->lease->failure && !member_of(*crew, token)->words;
  if (!may_have_spoken) return bury(number, token, exit);
  later(kLastWordsS, [this, number, token, exit] {
    pump();
    bury(number, token, exit);
  });
}

void ExecutorCore::bury(CrewNumber number, const std::string& token, const ChildExit& exit) {
  Crew* crew = find(number);
  if (crew == nullptr) return;
  CrewMember& member = *member_of(*crew, token);
  member.output->drain();
  const auto line = member.output->last_line();
  if (exit.survivors > 0)
    logs_.append(crew->fork,
                 "[" + std::to_string(exit.survivors) + " processes of this trainer could not be killed]\n");
  member.output.reset();
  member.gone = true;
  server_->forget(token);
  tokens_.erase(token);
  const auto rank = crew->first_rank + static_cast<std::uint32_t>(&member - crew->members.data());
  const bool left_in_peace = exit.code == 0 && exit.signal == 0;
  const auto doomed = crew->lease && crew->lease->failure && crew->lease->failure->firm;
  if (crew->lease && crew->lease->warm && !crew->lease->entered && left_in_peace && !doomed) {
    crew->lease->restart = true;
    fail_lease(*crew, {LeaseEndReason::kFailed, "its idle trainer had exited"});
  } else if (crew->lease && (!member.words || crew->lease->failure)) {
    if (exit.code == 1 && crew->lease->run.lease.spec->sleep.crash_at_step > 0) crashed_.insert(crew->fork.job);
    auto detail = (crew->world_size > 1 ? "rank " + std::to_string(rank) + ": " : std::string()) + exit.text();
    if (!line.empty()) detail += ": " + line;
    const bool explains = !left_in_peace || !crew->lease->failure;
    if (explains) fail_lease(*crew, {LeaseEndReason::kFailed, std::move(detail)});
  } else if (!crew->lease && !crew->retiring) {
    retire(*crew);
  }
  crew->retiring = true;
  if (crew->gone()) after_lease(number);
}

}  // namespace hadar
