#include "actors/node/node_leases.hpp"

#include <algorithm>
#include <set>

#include "messages/types/lease_sharing.hpp"

namespace hadar {

NodeLeases::NodeLeases(NodeInventory inventory) : inventory_(std::move(inventory)) {
  for (const auto& group : inventory_.gpus) gpu_count_ += group.count;
}

Status NodeLeases::admit(Term term, Epoch epoch) {
  if (term < term_)
    return fail(ErrorCode::kStale,
                "command of term " + std::to_string(term.value) + ", the term is " + std::to_string(term_.value));
  if (epoch != epoch_)
    return fail(ErrorCode::kStale, "command for epoch " + std::to_string(epoch.value) + ", this node is in epoch " +
                                       std::to_string(epoch_.value));
  term_ = term;
  return {};
}

std::string NodeLeases::why_refused(const Lease& lease) const {
  for (auto gpu : lease.gpus)
    if (gpu >= gpu_count_) return "there is no GPU " + std::to_string(gpu) + " here";
  std::size_t partners = 0;
  for (const auto& [id, held] : held_) {
    if (id == lease.id) return "it is held already";
    if (held.phase == HeldPhase::kReporting || !overlap(held.lease.gpus, lease.gpus)) continue;
    if (!may_share(held.lease, lease) || ++partners > 1)
      return "a GPU of its " + std::to_string(lease.gpus.size()) + " is under lease " + std::to_string(id.value);
  }
  return "";
}

LeasesPrepared NodeLeases::prepare(const std::vector<Lease>& leases, double now_s) {
  LeasesPrepared answer;
  for (const auto& lease : leases) {
    const auto why = why_refused(lease);
    if (!why.empty()) {
      answer.refused.push_back(RefusedLease{lease.id, why});
      continue;
    }
    auto& held = held_[lease.id];
    held.lease = lease;
    held.promised_s = now_s;
    answer.accepted.push_back(PreparedLease{lease.id, ""});
  }
  return answer;
}

NodeHello NodeLeases::hello(std::uint64_t incarnation) const {
  NodeHello hello{inventory_, incarnation, epoch_, {}};
  for (const auto& [id, held] : held_) hello.held.push_back(HeldLease{held.lease, held.phase == HeldPhase::kReporting});
  return hello;
}

std::vector<LeaseId> NodeLeases::welcome(const NodeWelcome& welcome) {
  term_ = std::max(term_, welcome.term);
  epoch_ = welcome.epoch;
  for (auto id : welcome.adopt) {
    auto* held = find(id);
    if (!held) continue;
    held->lease.term = welcome.term;
    held->lease.epoch = welcome.epoch;
  }
  return welcome.discard;
}

void NodeLeases::drop_promises() {
  for (auto it = held_.begin(); it != held_.end();)
    it = it->second.phase == HeldPhase::kPrepared ? held_.erase(it) : std::next(it);
}

Held* NodeLeases::find(LeaseId lease) {
  const auto found = held_.find(lease);
  return found == held_.end() ? nullptr : &found->second;
}

bool NodeLeases::training() const {
  return std::any_of(held_.begin(), held_.end(),
                     [](const auto& entry) { return entry.second.phase == HeldPhase::kRunning; });
}

LeaseReport NodeLeases::report_of(const Held& held) const {
  const auto& finished = held.unreported.front();
  LeaseReport report;
  report.lease = held.lease.id;
  report.fork = held.lease.fork;
  report.node = inventory_.name;
  report.epoch = held.lease.epoch;
  report.base = held.lease.base;
  report.end = finished.end;
  report.steps = finished.steps > held.base_steps ? finished.steps - held.base_steps : 0;
  report.samples = finished.samples > held.base_samples ? finished.samples - held.base_samples : 0;
  if (report.steps > 0) report.weights = finished.blob;
  report.metrics = finished.metrics;
  report.train_s = std::max(0.0, finished.train_s - held.base_train_s);
  report.pace_missed_s = std::max(0.0, finished.pace_missed_s - held.base_pace_missed_s);
  report.detail = finished.detail;
  return report;
}

bool NodeLeases::answered(Held& held, const LeaseReport& report, const ReportAnswered& answer) {
  const auto finished = held.unreported.front();
  held.unreported.pop_front();
  if (finished.end != LeaseEndReason::kRunning) return true;
  held.save_asked = false;
  // A checkpoint whose answer was lost is recognised by the version it became.
  const bool credited = answer.base.version == report.base.version + 1 &&
                        (answer.verdict == ReportVerdict::kAccepted || answer.base.weights.hash == report.weights.hash);
  if (credited) {
    held.lease.base = answer.base;
    held.base_steps += report.steps;
    held.base_samples += report.samples;
    held.base_train_s += report.train_s;
    held.base_pace_missed_s += report.pace_missed_s;
    return false;
  }
  return answer.verdict != ReportVerdict::kAccepted;
}

ProgressSampled NodeLeases::progress() const {
  ProgressSampled sampled;
  sampled.node = inventory_.name;
  for (const auto& [id, held] : held_) {
    if (held.phase != HeldPhase::kRunning || held.sampled_steps < held.base_steps) continue;
    sampled.samples.push_back(ProgressSample{id, held.sampled_steps - held.base_steps,
                                             std::max(0.0, held.sampled_train_s - held.base_train_s)});
  }
  return sampled;
}

}  // namespace hadar
