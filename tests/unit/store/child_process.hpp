// A forked child that is gone with the test, whatever happens to the test.
#pragma once

#include <functional>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hadar {

class ChildProcess {
 public:
  // `body` runs in the child, gets the descriptor to write its news to, and gives the exit status.
  explicit ChildProcess(const std::function<int(int news)>& body) {
    if (::pipe(pipe_) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(pipe_[0]);
      ::_exit(body(pipe_[1]));
    }
    ::close(pipe_[1]);
  }
  ~ChildProcess() {
    kill();
    ::close(pipe_[0]);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

  // The next piece of news; false when the child is gone.
  template <class T>
  bool read(T& news) const {
    return ::read(pipe_[0], &news, sizeof news) == static_cast<ssize_t>(sizeof news);
  }

  // Waits for its end. The status of waitpid.
  int wait() {
    if (pid_ > 0) ::waitpid(pid_, &status_, 0);
    pid_ = 0;
    return status_;
  }
  int kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    return wait();
  }

 private:
  int pipe_[2] = {-1, -1};
  pid_t pid_ = 0;
  int status_ = 0;
};

template <class T>
bool tell(int news, const T& value) {
  return ::write(news, &value, sizeof value) == static_cast<ssize_t>(sizeof value);
}

}  // namespace hadar
