// Keeps the children of a process: starts them, reaps every one, and leaves nothing of theirs behind. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "messages/types/result.hpp"
#include "runtime/loop/child_process.hpp"
#include "runtime/loop/event_loop.hpp"

namespace hadar {

struct ChildExit {
  int code = 0;       // exit code, when it exited by itself
  int signal = 0;     // else the signal that ended it
  int survivors = 0;  // processes of its tree that could not be killed within 5 s

  // "exit code 1" or "signal 9"
  [[nodiscard]] std::string text() const;
};

class ChildKeeper {
 public:
  using OnExit = std::function<void(const ChildExit&)>;

  // Makes this process the parent of its orphaned grandchildren, so that they can be killed and reaped; a child of this
  // process that nobody waited for within seconds is reaped too.
  explicit ChildKeeper(EventLoop& loop);
  // Kills what is left and reaps it, within 5 s.
  ~ChildKeeper();
  ChildKeeper(const ChildKeeper&) = delete;
  ChildKeeper& operator=(const ChildKeeper&) = delete;

  // As start_child(). `mark` is a NAME=VALUE of its environment that no other process has: by it the grandchildren that
  // left its process group are found. When the child has ended, the rest of its tree is killed; `on_exit` runs when all
  // are gone.
  Result<StartedChild> start(const ChildSpec& spec, std::string mark, OnExit on_exit);

  // Sends a signal to the child's process group; nothing when it is gone.
  void signal(pid_t child, int number);

  [[nodiscard]] std::size_t count() const;

 private:
  struct Child {
    std::string mark;
    OnExit on_exit;
    ChildExit exit;
    bool ended = false;
    std::set<pid_t> hunted;  // killed for carrying its mark, not known to be gone
    double give_up_s = 0;    // when to stop hunting the rest of its tree
  };

  void look();
  bool ended(pid_t pid, Child& child);
  void clear_tree(pid_t pid);
  int hunt(pid_t pid, Child& child);
  void sweep();

  EventLoop& loop_;
  std::shared_ptr<ChildKeeper*> self_;  // emptied at our end: signals outlive us
  std::map<pid_t, Child> children_;
  std::set<pid_t> strays_;  // zombies of nobody we know, seen at the last sweep
  bool sweep_armed_ = false;
};

}  // namespace hadar
