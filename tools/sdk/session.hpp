// What stands behind a hadar_job handle: one trainer's side of its leases. Used by one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/types/trainer.hpp"
#include "runtime/transport/trainer_channel.hpp"
#include "tools/sdk/gang.hpp"
#include "tools/sdk/hadar_job.h"
#include "tools/sdk/pacer.hpp"

namespace hadar::sdk {

class Session {
 public:
  // Reads the environment. Errors: half an environment, a socket that is none.
  static Result<std::unique_ptr<Session>> connect();

  // The functions of hadar_job.h, one to one.
  hadar_next next_lease(hadar_lease& lease);
  hadar_action before_step();
  void after_step(std::uint64_t samples);
  const char* result_path();
  void saved();
  Status metric(const std::string& name, double value);
  void end_lease();
  Status all_reduce(std::span<float> values);

  // Why next_lease said HADAR_FAULT, or why the lease failed; empty otherwise.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  // Everything that lives as long as one lease.
  struct Run {
    TrainerLeaseStart start;
    double received_s = 0;
    double deadline_s = 0;       // 0 = none
    std::optional<Pacer> pacer;  // set once the step loop was entered
    double entered_s = 0;
    double saving_s = 0;      // spent writing weights inside the step loop
    double save_began_s = 0;  // > 0: a save is going on
    double left_s = 0;        // when the end was decided
    double progress_s = 0;    // when progress was last told
    std::uint64_t steps = 0;
    std::uint64_t samples = 0;
    std::uint32_t saves = 0;  // result paths handed out and used
    bool path_asked = false;
    bool save_wanted = false;
    bool stop_wanted = false;
    bool ready = false;  // all gang members stand before this step
    LeaseEndReason end = LeaseEndReason::kRunning;
    std::string detail;
    Metrics metrics;
    std::unique_ptr<Gang> gang;
  };

  Session() = default;
  void take_messages();
  void take(const TrainerMessage& message);
  void begin(const TrainerLeaseStart& start);
  void offer(hadar_lease& lease);
  void begin_standalone();
  bool node_is_gone();
  void fault(std::string why);

  bool enter();
  bool join_gang();
  void finish(LeaseEndReason end, std::string detail = {});
  void finish_failed(const Error& error);
  hadar_action lead();
  hadar_action follow();
  hadar_action do_step();
  std::optional<LeaseEndReason> reason_to_end(double now) const;
  void sleep_until(double when_s);
  GangWait gang_wait();
  void report_progress(double now);
  void close_save();
  void send_saved(bool over);
  TrainerSaved closing_words(bool over);
  double train_s() const;
  bool asked_to_end(double now) const;

  std::unique_ptr<TrainerClient> client_;  // none when stand-alone
  std::int64_t node_pid_ = 0;
  int first_parent_ = 0;
  double node_checked_s_ = 0;
  std::uint64_t standalone_steps_ = 0;
  std::optional<TrainerLeaseStart> offered_;  // came in, not taken by next_lease yet
  bool offered_stop_ = false;
  bool exit_wanted_ = false;
  bool faulted_ = false;
  bool standalone_done_ = false;
  std::string problem_;
  std::unique_ptr<Run> run_;
  std::string weights_path_;         // handed out
  std::deque<std::string> results_;  // handed out
};

}  // namespace hadar::sdk
