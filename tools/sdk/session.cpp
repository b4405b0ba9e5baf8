#include "tools/sdk/session.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace hadar::sdk {
namespace {

constexpr double kProgressEveryS = 0.5;
constexpr double kNodeCheckS = 1;
constexpr double kGangPatienceS = 10;  // for the other members once the end was asked for
constexpr double kReportLimitS = 5;    // for a final report the node worker does not take
constexpr std::uint64_t kStandaloneSteps = 1000;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

Result<std::uint64_t> number(const char* name, std::uint64_t otherwise) {
  const auto text = environment(name);
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return fail(ErrorCode::kInvalidArgument,
                std::string(name) + " is '" + std::string(text) + "'; it must be a whole number");
  return value;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::connect() {
  std::unique_ptr<Session> session(new Session);
  const std::string socket(environment("HADAR_TRAINER_SOCKET"));
  if (socket.empty()) {
    auto steps = number("HADAR_STANDALONE_STEPS", kStandaloneSteps);
    if (!steps) return fail(std::move(steps));
    session->standalone_steps_ = *steps;
    return session;
  }
  const std::string token(environment("HADAR_TRAINER_TOKEN"));
  if (token.empty())
    return fail(ErrorCode::kInvalidArgument,
                "HADAR_TRAINER_SOCKET is set but HADAR_TRAINER_TOKEN is not; the node worker sets both");
  const auto rank = number("RANK", 0);
  const auto node_pid = number("HADAR_NODE_PID", 0);
  if (!rank || !node_pid) return tl::unexpected(rank ? node_pid.error() : rank.error());
  session->node_pid_ = static_cast<std::int64_t>(*node_pid);
  session->first_parent_ = getppid();
  auto client = TrainerClient::connect(socket);
  if (!client) return fail(std::move(client));
  session->client_ = *std::move(client);
  const TrainerHello hello{token, static_cast<std::uint32_t>(*rank), static_cast<std::uint64_t>(getpid())};
  if (auto sent = session->client_->send(hello); !sent) return fail(std::move(sent));
  return session;
}

hadar_next Session::next_lease(hadar_lease& lease) {
  if (run_) end_lease();
  results_.clear();
  if (!client_) {
    if (standalone_done_) return HADAR_EXIT;
    begin_standalone();
    offer(lease);
    return HADAR_GO;
  }
  for (;;) {
    take_messages();
    if (faulted_) return HADAR_FAULT;
    if (exit_wanted_) return HADAR_EXIT;
    if (offered_) {
      begin(*offered_);
      offer(lease);
      return HADAR_GO;
    }
    client_->wait(kNodeCheckS);
  }
}

void Session::begin_standalone() {
  standalone_done_ = true;
  TrainerLeaseStart start;
  start.result_path = environment("HADAR_STANDALONE_RESULT");
  start.quota_steps = start.total_steps = standalone_steps_;
  start.seed = 1;
  start.batch_size = 32;
  offered_stop_ = false;
  begin(start);
}

void Session::begin(const TrainerLeaseStart& start) {
  run_ = std::make_unique<Run>();
  run_->start = start;
  run_->received_s = now_s();
  if (start.train_for_s > 0) run_->deadline_s = run_->received_s + start.train_for_s;
  run_->stop_wanted = offered_stop_;
  offered_.reset();
  problem_.clear();
}

void Session::offer(hadar_lease& lease) {
  const auto& start = run_->start;
  weights_path_ = start.weights_path;
  lease.weights_path = weights_path_.empty() ? nullptr : weights_path_.c_str();
  lease.seed = start.seed;
  lease.quota_steps = start.quota_steps;
  lease.first_step = start.first_step;
  lease.total_steps = start.total_steps;
  lease.batch_size = start.batch_size;
  lease.fork = start.fork;
  lease.rank = start.rank;
  lease.world_size = start.world_size;
}

void Session::fault(std::string why) {
  faulted_ = true;
  problem_ = std::move(why);
}

bool Session::node_is_gone() {
  if (node_pid_ <= 0) return false;
  if (first_parent_ == node_pid_ && getppid() != first_parent_) return true;
  return kill(static_cast<pid_t>(node_pid_), 0) != 0 && errno == ESRCH;
}

void Session::take_messages() {
  if (!client_ || faulted_) return;
  for (;;) {
    auto message = client_->receive();
    if (!message) return fault("the node worker spoke nonsense: " + message.error().message);
    if (!*message) break;
    take(**message);
  }
  const double now = now_s();
  if (now - node_checked_s_ < kNodeCheckS) return;
  node_checked_s_ = now;
  if (node_is_gone()) fault("the node worker is gone");
}

void Session::take(const TrainerMessage& message) {
  if (const auto* start = std::get_if<TrainerLeaseStart>(&message)) {
    if (run_ || offered_) return fault("the node worker started a lease while another one was running");
    offered_ = *start;
    offered_stop_ = false;
  } else if (const auto* extend = std::get_if<TrainerLeaseExtend>(&message)) {
    if (offered_ && offered_->lease == extend->lease) {
      offered_->quota_steps = extend->quota_steps;
      offered_->train_for_s = extend->train_for_s;
    } else if (run_ && run_->start.lease == extend->lease) {
      run_->start.quota_steps = extend->quota_steps;
      run_->deadline_s = extend->train_for_s > 0 ? now_s() + extend->train_for_s : 0;
    }
  } else if (const auto* stop = std::get_if<TrainerLeaseStop>(&message)) {
    if (offered_ && offered_->lease == stop->lease) offered_stop_ = true;
    if (run_ && run_->start.lease == stop->lease) run_->stop_wanted = true;
  } else if (const auto* save = std::get_if<TrainerSave>(&message)) {
    if (!run_ || run_->start.lease != save->lease || run_->end != LeaseEndReason::kRunning) return;
    if (run_->start.rank == 0)
      run_->save_wanted = true;
    else
      send_saved(false);
  } else if (std::holds_alternative<TrainerExit>(message)) {
    exit_wanted_ = true;
    if (run_) run_->stop_wanted = true;
  }
}

hadar_action Session::before_step() {
  if (!run_ || run_->end != LeaseEndReason::kRunning) return HADAR_END;
  if (run_->save_began_s > 0) saved();
  take_messages();
  if (!run_->pacer && !enter()) return HADAR_END;
  return run_->start.rank == 0 ? lead() : follow();
}

// The first step: the weights are loaded, the schedule starts.
bool Session::enter() {
  if (const auto end = reason_to_end(now_s())) return finish(*end), false;
  if (run_->start.world_size > 1 && !join_gang()) return false;
  run_->entered_s = now_s();
  run_->pacer.emplace(run_->start.pace_steps_per_s, run_->entered_s);
  if (run_->gang) run_->pacer->slow_to(run_->gang->pace());
  if (client_) report_progress(run_->entered_s);
  return true;
}

bool Session::join_gang() {
  const GangWait wait = [this](std::span<const int> sockets) {
    client_->wait(0.02, sockets);
    take_messages();
    return !faulted_ && !asked_to_end(now_s());
  };
  const auto& start = run_->start;
  auto gang = Gang::join(start.rank, start.world_size, start.rendezvous, start.pace_steps_per_s, wait);
  if (gang) {
    run_->gang = *std::move(gang);
    return true;
  }
  if (const auto end = reason_to_end(now_s()); end && gang.error().code == ErrorCode::kRefused)
    finish(*end);
  else
    finish_failed(gang.error());
  return false;
}

GangWait Session::gang_wait() {
  return [this, asked_s = 0.0](std::span<const int> sockets) mutable {
    client_->wait(0.2, sockets);
    take_messages();
    const double now = now_s();
    report_progress(now);
    if (asked_s == 0 && asked_to_end(now)) asked_s = now;
    return !faulted_ && (asked_s == 0 || now - asked_s < kGangPatienceS);
  };
}

bool Session::asked_to_end(double now) const {
  return run_->stop_wanted || (run_->deadline_s > 0 && now >= run_->deadline_s);
}

std::optional<LeaseEndReason> Session::reason_to_end(double now) const {
  if (!asked_to_end(now)) return {};
  if (run_->steps >= run_->start.quota_steps) return LeaseEndReason::kQuota;
  return run_->stop_wanted ? LeaseEndReason::kRevoked : LeaseEndReason::kDeadline;
}

// Rank 0, and a trainer that is alone.
hadar_action Session::lead() {
  auto& run = *run_;
  for (;; take_messages()) {
    if (faulted_) return finish(LeaseEndReason::kFailed, problem_), HADAR_END;
    if (run.gang && !run.ready) {
      const auto wants_end = run.gang->await_ready(gang_wait());
      if (!wants_end) return finish_failed(wants_end.error()), HADAR_END;
      run.ready = true;
      run.stop_wanted = run.stop_wanted || *wants_end;
    }
    const double now = now_s();
    if (run.save_wanted) {
      run.save_wanted = false;
      run.save_began_s = now;
      return HADAR_SAVE;
    }
    auto end = reason_to_end(now);
    const double due = run.pacer->due_s(run.steps);
    if (!end && now < due) {
      sleep_until(run.deadline_s > 0 ? std::min(due, run.deadline_s) : due);
      continue;
    }
    // The last step lasts its full time too, so the quota is met only when the step after it would be due.
    if (!end && run.steps >= run.start.quota_steps) end = LeaseEndReason::kQuota;
    if (run.gang)
      if (auto told = run.gang->decide(end.value_or(LeaseEndReason::kRunning)); !told)
        return finish_failed(told.error()), HADAR_END;
    if (end) return finish(*end), HADAR_END;
    run.pacer->begin(run.steps, now);
    return do_step();
  }
}

// Ranks above 0 do what rank 0 decides, so that all ranks do the same steps.
hadar_action Session::follow() {
  auto& run = *run_;
  if (!run.ready) {
    if (auto told = run.gang->say_ready(asked_to_end(now_s())); !told) return finish_failed(told.error()), HADAR_END;
    run.ready = true;
  }
  const auto decision = run.gang->await_decision(gang_wait());
  if (!decision) return finish_failed(decision.error()), HADAR_END;
  if (*decision != LeaseEndReason::kRunning) return finish(*decision), HADAR_END;
  return do_step();
}

hadar_action Session::do_step() {
  run_->ready = false;
  if (const double now = now_s(); client_ && now - run_->progress_s >= kProgressEveryS) report_progress(now);
  return HADAR_TRAIN;
}

void Session::sleep_until(double when_s) {
  const double left = when_s - now_s();
  if (left <= 0) return;
  if (left >= 0.001 && client_)
    client_->wait(std::min(left, kNodeCheckS));
  else
    std::this_thread::sleep_for(std::chrono::duration<double>(left));
}

void Session::finish(LeaseEndReason end, std::string detail) {
  run_->end = end;
  run_->left_s = now_s();
  run_->detail = std::move(detail);
  if (end == LeaseEndReason::kFailed) problem_ = run_->detail;
}

void Session::finish_failed(const Error& error) {
  finish(LeaseEndReason::kFailed, error.message);
}

void Session::after_step(std::uint64_t samples) {
  if (!run_ || run_->end != LeaseEndReason::kRunning) return;
  ++run_->steps;
  run_->samples += samples;
}

const char* Session::result_path() {
  if (!run_ || run_->start.rank > 0 || run_->start.result_path.empty()) return nullptr;
  if (!run_->path_asked) {
    const auto& base = run_->start.result_path;
    results_.push_back(client_ ? base + "." + std::to_string(run_->saves) : base);
    run_->path_asked = true;
  }
  return results_.back().c_str();
}

void Session::saved() {
  if (!run_ || run_->save_began_s == 0) return;
  send_saved(false);
  close_save();
}

// The schedule stands still while weights are written.
void Session::close_save() {
  const double took = now_s() - run_->save_began_s;
  run_->saving_s += took;
  run_->save_began_s = 0;
  if (run_->pacer) run_->pacer->pause(took);
}

double Session::train_s() const {
  if (!run_->pacer) return 0;
  const double until = run_->left_s > 0 ? run_->left_s : (run_->save_began_s > 0 ? run_->save_began_s : now_s());
  return std::max(0.0, until - run_->entered_s - run_->saving_s);
}

void Session::report_progress(double now) {
  if (now - run_->progress_s < kProgressEveryS) return;
  run_->progress_s = now;
  // A sample nobody takes is no loss: the next one says more.
  (void)client_->send(TrainerProgress{run_->start.lease, run_->steps, train_s()});
}

Status Session::metric(const std::string& name, double value) {
  if (name.empty() || !std::isfinite(value))
    return fail(ErrorCode::kInvalidArgument, "metric '" + name + "' is refused; it needs a name and a finite number");
  if (run_) run_->metrics[name] = value;
  return {};
}

TrainerSaved Session::closing_words(bool over) {
  auto& run = *run_;
  std::string path;
  if (run.path_asked) {
    path = results_.back();
    ++run.saves;
    run.path_asked = false;
    std::error_code unreadable;
    if (!std::filesystem::is_regular_file(path, unreadable)) {
      finish(LeaseEndReason::kFailed, "no weights at " + path + " though the trainer asked where to write them");
      path.clear();
    }
  }
  TrainerSaved words{.lease = run.start.lease,
                     .over = over,
                     .end = over ? run.end : LeaseEndReason::kRunning,
                     .steps = run.steps,
                     .samples = run.samples,
                     .weights_path = std::move(path),
                     .metrics = std::move(run.metrics),
                     .train_s = train_s(),
                     .pace_missed_s = run.pacer ? run.pacer->missed_s() : 0,
                     .detail = over ? run.detail : std::string()};
  run.metrics.clear();
  return words;
}

void Session::send_saved(bool over) {
  const auto words = closing_words(over);
  const bool broken = !over && run_->end == LeaseEndReason::kFailed;  // the weights asked for are missing
  if (!client_ || broken) return;
  const double limit = now_s() + kReportLimitS;
  while (!client_->send(words)) {
    if (now_s() > limit) return fault("the node worker does not take the report of a lease");
    client_->wait(0.05);
  }
}

void Session::end_lease() {
  if (!run_) return;
  auto& run = *run_;
  if (run.save_began_s > 0) saved();
  if (run.end == LeaseEndReason::kRunning) {
    const bool done = run.steps >= run.start.quota_steps;
    finish(done ? LeaseEndReason::kQuota : LeaseEndReason::kDeadline, "the trainer ended its lease by itself");
    // Members that are gone need not be told; those that hear it end too.
    if (run.gang && run.start.rank == 0) (void)run.gang->decide(run.end);
  }
  send_saved(true);
  run_.reset();
}

Status Session::all_reduce(std::span<float> values) {
  if (!run_) return fail(ErrorCode::kInvalidArgument, "hadar_all_reduce outside a lease");
  if (run_->start.world_size == 1) return {};
  if (!run_->gang && (run_->end != LeaseEndReason::kRunning || !join_gang()))
    return fail(ErrorCode::kUnreachable, "the gang is not together: " + run_->detail);
  auto reduced = run_->gang->all_reduce(values);
  if (!reduced) finish_failed(reduced.error());
  return reduced;
}

}  // namespace hadar::sdk
