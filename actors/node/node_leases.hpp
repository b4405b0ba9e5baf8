// The leases a node holds, and what is owed to whom about them. Pure.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/types/control.hpp"
#include "messages/types/lease.hpp"
#include "messages/types/result.hpp"
#include "runtime/executor/executor.hpp"

namespace hadar {

enum class HeldPhase {
  kPrepared,   // promised, waits for the commit
  kLoading,    // committed, its base is being fetched
  kRunning,    // the executor has it
  kReporting,  // its GPUs are free; its last report waits for an answer
};

// A save or the end of a lease, as the executor told it; counts run from the lease's start.
struct Finished {
  LeaseEndReason end = LeaseEndReason::kRunning;
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  std::filesystem::path weights;  // until it is adopted
  BlobRef blob;                   // after
  Metrics metrics;
  double train_s = 0;
  double pace_missed_s = 0;
  std::string detail;
};

struct Held {
  Lease lease;
  HeldPhase phase = HeldPhase::kPrepared;
  double promised_s = 0;  // when the prepare was answered
  bool stop_asked = false;
  std::deque<Finished> unreported;  // oldest first; the front is being reported
  bool report_in_flight = false;
  bool save_asked = false;
  double next_save_s = 0;        // 0 = never
  std::uint64_t base_steps = 0;  // counts at the current base
  std::uint64_t base_samples = 0;
  double base_train_s = 0;
  double base_pace_missed_s = 0;
  double stepped_s = 0;  // when it last was seen to do a step, or was started
  bool hung = false;     // stopped for doing none
  std::uint64_t sampled_steps = 0;
  double sampled_train_s = 0;

  // Time left to train, for leases that end at a border.
  [[nodiscard]] double left_s(double now_s) const { return promised_s + lease.train_for_s - now_s; }
};

class NodeLeases {
 public:
  explicit NodeLeases(NodeInventory inventory);

  [[nodiscard]] const NodeInventory& inventory() const { return inventory_; }
  [[nodiscard]] Term term() const { return term_; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }

  // kStale when a command's term is older than one seen, or its epoch is not ours.
  Status admit(Term term, Epoch epoch);
  // Enters the leases whose GPUs are free.
  LeasesPrepared prepare(const std::vector<Lease>& leases, double now_s);
  // What a hello says of this node.
  [[nodiscard]] NodeHello hello(std::uint64_t incarnation) const;
  // Takes the scheduler's answer to a hello; gives the leases that must be stopped without a report.
  std::vector<LeaseId> welcome(const NodeWelcome& welcome);
  // The link to the scheduler went: promises not yet committed are off.
  void drop_promises();

  [[nodiscard]] Held* find(LeaseId lease);
  void erase(LeaseId lease) { held_.erase(lease); }
  [[nodiscard]] std::map<LeaseId, Held>& all() { return held_; }
  [[nodiscard]] bool training() const;

  // The report of the oldest unreported save or end.
  [[nodiscard]] LeaseReport report_of(const Held& held) const;
  // The tracker answered it. True when the lease is done with; false when it goes on (the next may be due).
  bool answered(Held& held, const LeaseReport& report, const ReportAnswered& answer);

  [[nodiscard]] ProgressSampled progress() const;

 private:
  [[nodiscard]] std::string why_refused(const Lease& lease) const;

  NodeInventory inventory_;
  std::uint32_t gpu_count_ = 0;
  Term term_;
  Epoch epoch_;
  std::map<LeaseId, Held> held_;
};

}  // namespace hadar
