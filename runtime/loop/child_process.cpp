#include "runtime/loop/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace hadar {
namespace {

constexpr int kErrorFd = 3;        // of the child: where a failed start is told; closes when the program runs
constexpr int kHighFd = 10;        // ours are moved above what the child renumbers
constexpr int kMostFds = 1 << 16;  // closed one by one where close_range is missing
constexpr char kDefaultPath[] = "/usr/local/bin:/usr/bin:/bin";

struct Fd {
  int value = -1;
  ~Fd() { reset(); }
  Fd() = default;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  void reset(int next = -1) {
    if (value >= 0) close(value);
    value = next;
  }
  int give() { return std::exchange(value, -1); }
};

tl::unexpected<Error> refused(const std::string& what, int error) {
  return fail(ErrorCode::kIo, what + ": " + std::strerror(error));
}

// Both ends close-on-exec and above what the child renumbers.
bool make_pipe(Fd& read_end, Fd& write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end.reset(fcntl(ends[0], F_DUPFD_CLOEXEC, kHighFd));
  write_end.reset(fcntl(ends[1], F_DUPFD_CLOEXEC, kHighFd));
  close(ends[0]);
  close(ends[1]);
  return read_end.value >= 0 && write_end.value >= 0;
}

Result<std::string> find_program(const ChildSpec& spec) {
  if (spec.argv.empty()) return fail(ErrorCode::kInvalidArgument, "a trainer's command must name a program");
  const auto& name = spec.argv.front();
  if (name.find('/') != std::string::npos) return name;
  std::string_view path = kDefaultPath;
  for (const auto& variable : spec.environment)
    if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find(':', at), path.size());
    auto candidate = std::string(path.substr(at, end - at)) + "/" + name;
    if (end > at && access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return fail(ErrorCode::kNotFound, "no program '" + name + "' in the PATH; give its whole path");
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// Between fork and exec only async-signal-safe calls are allowed: other threads may have held any lock.
[[noreturn]] void become(const char* program, char** argv, char** environment, int null, int output, int error,
                         pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before the signal was armed
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const bool wired = dup2(null, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2 &&
                     dup3(error, kErrorFd, O_CLOEXEC) == kErrorFd;
  if (syscall(SYS_close_range, kErrorFd + 1, ~0U, 0) != 0)
    for (int fd = kErrorFd + 1; fd < kMostFds; ++fd) close(fd);
  if (wired) execve(program, argv, environment);
  const int why = errno;
  (void)!write(kErrorFd, &why, sizeof why);
  _exit(127);
}

}  // namespace

Result<StartedChild> start_child(const ChildSpec& spec) {
  auto program = find_program(spec);
  if (!program) return fail(std::move(program));
  Fd output_read, output_write, error_read, error_write, null;
  if (!make_pipe(output_read, output_write) || !make_pipe(error_read, error_write))
    return refused("cannot make a pipe for " + *program, errno);
  const int opened = open("/dev/null", O_RDONLY | O_CLOEXEC);
  null.reset(fcntl(opened, F_DUPFD_CLOEXEC, kHighFd));
  close(opened);
  if (null.value < 0) return refused("cannot open /dev/null", errno);
  auto argv = pointers(spec.argv);
  auto environment = pointers(spec.environment);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return refused("cannot start " + *program, errno);
  if (pid == 0)
    become(program->c_str(), argv.data(), environment.data(), null.value, output_write.value, error_write.value,
           parent);
  error_write.reset();
  int why = 0;
  ssize_t got = 0;
  while ((got = read(error_read.value, &why, sizeof why)) < 0 && errno == EINTR) {
  }
  if (got == sizeof why) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (why == ENOENT) return fail(ErrorCode::kNotFound, "no program at " + *program + ": " + std::strerror(why));
    return refused("cannot start " + *program, why);
  }
  fcntl(output_read.value, F_SETFL, O_NONBLOCK);
  return StartedChild{pid, output_read.give()};
}

namespace {

// What a file under /proc holds; empty when its process is gone, which may happen between any two steps.
std::string read_proc(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while ((got = read(fd, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
  close(fd);
  return text;
}

}  // namespace

std::vector<ProcessEntry> list_processes() {
  std::vector<ProcessEntry> found;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    ProcessEntry process;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process.pid);
    if (error != std::errc{} || end != name.data() + name.size()) continue;
    const auto stat = read_proc("/proc/" + std::string(name) + "/stat");
    // pid (name) state parent …; the name may hold anything, so look from its last parenthesis.
    const auto after_name = stat.rfind(") ");
    if (after_name == std::string::npos || stat.size() < after_name + 5) continue;
    process.state = stat[after_name + 2];
    std::from_chars(stat.data() + after_name + 4, stat.data() + stat.size(), process.parent);
    found.push_back(process);
  }
  closedir(folder);
  return found;
}

bool carries(pid_t pid, const std::string& variable) {
  const auto environment = read_proc("/proc/" + std::to_string(pid) + "/environ");
  for (std::size_t start = 0; start < environment.size();) {
    const auto end = std::min(environment.find('\0', start), environment.size());
    if (std::string_view(environment).substr(start, end - start) == variable) return true;
    start = end + 1;
  }
  return false;
}

}  // namespace hadar
