#include "runtime/loop/child_keeper.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kHuntEveryS = 0.02;
constexpr double kHuntLimitS = 5;
constexpr double kSweepS = 2;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string ChildExit::text() const {
  return signal != 0 ? "signal " + std::to_string(signal) : "exit code " + std::to_string(code);
}

ChildKeeper::ChildKeeper(EventLoop& loop) : loop_(loop), self_(std::make_shared<ChildKeeper*>(this)) {
  HADAR_REQUIRE(loop_.on_loop());
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  loop_.on_signal(SIGCHLD, [self = self_] {
    if (*self != nullptr) (*self)->look();
  });
}

ChildKeeper::~ChildKeeper() {
  *self_ = nullptr;
  const double limit = now_s() + kHuntLimitS;
  for (auto& [pid, child] : children_)
    if (!child.ended) kill(-pid, SIGKILL);
  for (auto it = children_.begin(); it != children_.end() && now_s() < limit;) {
    auto& [pid, child] = *it;
    if ((child.ended || ended(pid, child)) && hunt(pid, child) == 0)
      it = children_.erase(it);
    else
      std::this_thread::sleep_for(std::chrono::duration<double>(kHuntEveryS));
  }
}

Result<StartedChild> ChildKeeper::start(const ChildSpec& spec, std::string mark, OnExit on_exit) {
  HADAR_REQUIRE(loop_.on_loop());
  auto started = start_child(spec);
  if (started) {
    auto& child = children_[started->pid];
    child.mark = std::move(mark);
    child.on_exit = std::move(on_exit);
  }
  return started;
}

void ChildKeeper::signal(pid_t child, int number) {
  const auto found = children_.find(child);
  if (found != children_.end() && !found->second.ended) kill(-child, number);
}

std::size_t ChildKeeper::count() const {
  return children_.size();
}

void ChildKeeper::look() {
  std::vector<pid_t> over;
  for (auto& [pid, child] : children_)
    if (!child.ended && ended(pid, child)) over.push_back(pid);
  for (const pid_t pid : over) clear_tree(pid);
  if (sweep_armed_) return;
  sweep_armed_ = true;
  loop_.after(kSweepS, [self = self_] {
    if (*self != nullptr) (*self)->sweep();
  });
}

// The group is killed while its ended leader still holds the number, so that the signal can hit nobody else.
bool ChildKeeper::ended(pid_t pid, Child& child) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return false;
  kill(-pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, WNOHANG);
  child.ended = true;
  child.exit.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  child.exit.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  child.give_up_s = now_s() + kHuntLimitS;
  return true;
}

void ChildKeeper::clear_tree(pid_t pid) {
  const auto found = children_.find(pid);
  if (found == children_.end()) return;
  const int left = hunt(pid, found->second);
  if (left > 0 && now_s() < found->second.give_up_s) {
    loop_.after(kHuntEveryS, [self = self_, pid] {
      if (*self != nullptr) (*self)->clear_tree(pid);
    });
    return;
  }
  Child child = std::move(found->second);
  children_.erase(found);
  child.exit.survivors = left;
  child.on_exit(child.exit);
}

// Kills and reaps what is left of a tree whose leader is reaped; the number of processes still there. A process that
// left the group is known by its mark while it lives and by its number until it is reaped.
int ChildKeeper::hunt(pid_t group, Child& child) {
  pid_t reaped = 0;
  while ((reaped = waitpid(-group, nullptr, WNOHANG)) > 0) {
  }
  for (const auto& process : list_processes()) {
    if (process.pid == getpid() || children_.contains(process.pid) || !carries(process.pid, child.mark)) continue;
    kill(process.pid, SIGKILL);
    child.hunted.insert(process.pid);
  }
  std::erase_if(child.hunted, [](pid_t pid) {
    return waitpid(pid, nullptr, WNOHANG) == pid || (kill(pid, 0) != 0 && errno == ESRCH);
  });
  return static_cast<int>(child.hunted.size()) + (reaped == 0 ? 1 : 0);  // 0: some of the group are still alive
}

void ChildKeeper::sweep() {
  sweep_armed_ = false;
  std::set<pid_t> seen;
  for (const auto& process : list_processes()) {
    if (process.parent != getpid() || process.state != 'Z' || children_.contains(process.pid)) continue;
    if (!strays_.contains(process.pid) || waitpid(process.pid, nullptr, WNOHANG) != process.pid)
      seen.insert(process.pid);
  }
  strays_ = std::move(seen);
  if (strays_.empty()) return;
  sweep_armed_ = true;
  loop_.after(kSweepS, [self = self_] {
    if (*self != nullptr) (*self)->sweep();
  });
}

}  // namespace hadar
