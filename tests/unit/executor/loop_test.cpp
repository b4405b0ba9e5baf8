#include <algorithm>
#include <atomic>
#include <csignal>
#include <future>
#include <gmock/gmock.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "runtime/loop/child_keeper.hpp"
#include "runtime/loop/child_process.hpp"
#include "runtime/loop/event_loop.hpp"

namespace hadar {
namespace {

constexpr auto kLimit = std::chrono::seconds(20);

template <class F>
auto on(EventLoop& loop, F f) {
  std::promise<decltype(f())> done;
  auto result = done.get_future();
  loop.post([&] {
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      done.set_value();
    } else {
      done.set_value(f());
    }
  });
  return result.get();
}

TEST(EventLoop, TasksRunInOrderOnItsThread) {
  EventLoop loop;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) loop.post([&, i] { order.push_back(loop.on_loop() ? i : -1); });
  on(loop, [] {});
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_FALSE(loop.on_loop());
}

TEST(EventLoop, TimersFireOnceInOrderUnlessCancelled) {
  EventLoop loop;
  std::promise<std::vector<int>> done;
  std::vector<int> fired;
  loop.post([&] {
    loop.after(0.03, [&] { done.set_value(fired); });
    loop.after(0.02, [&] { fired.push_back(2); });
    const auto never = loop.after(0.015, [&] { fired.push_back(3); });
    loop.after(0.01, [&] { fired.push_back(1); });
    loop.cancel(never);
  });
  auto result = done.get_future();
  ASSERT_EQ(result.wait_for(kLimit), std::future_status::ready);
  EXPECT_EQ(result.get(), (std::vector{1, 2}));
}

TEST(EventLoop, AWatchSeesWhatComesUntilItIsTakenOff) {
  EventLoop loop;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "a", 1), 1);  // news from before the watch
  std::promise<void> first, second;
  std::string got;
  const auto watch = on(loop, [&] {
    return loop.watch(ends[0], [&] {
      char byte = 0;
      if (read(ends[0], &byte, 1) != 1) return;
      got += byte;
      (got.size() == 1 ? first : second).set_value();
    });
  });
  ASSERT_EQ(first.get_future().wait_for(kLimit), std::future_status::ready);
  ASSERT_EQ(write(ends[1], "b", 1), 1);
  ASSERT_EQ(second.get_future().wait_for(kLimit), std::future_status::ready);
  on(loop, [&] { loop.unwatch(watch); });
  ASSERT_EQ(write(ends[1], "c", 1), 1);
  on(loop, [] {});
  EXPECT_EQ(got, "ab");
  close(ends[0]);
  close(ends[1]);
}

TEST(EventLoop, ASignalIsDeliveredToEveryLoopThatAsked) {
  EventLoop first, second;
  std::promise<void> one, two;
  on(first, [&] {
    first.on_signal(SIGUSR2, [&, n = 0]() mutable {
      if (n++ == 0) one.set_value();
    });
  });
  on(second, [&] {
    second.on_signal(SIGUSR2, [&, n = 0]() mutable {
      if (n++ == 0) two.set_value();
    });
  });
  kill(getpid(), SIGUSR2);
  EXPECT_EQ(one.get_future().wait_for(kLimit), std::future_status::ready);
  EXPECT_EQ(two.get_future().wait_for(kLimit), std::future_status::ready);
}

struct Kept {
  EventLoop loop;
  std::unique_ptr<ChildKeeper> keeper = on(loop, [this] { return std::make_unique<ChildKeeper>(loop); });
  ~Kept() {
    on(loop, [this] { keeper.reset(); });
  }

  // Runs a shell script and gives how it ended.
  std::pair<ChildExit, std::string> run(const std::string& script, const std::function<void(pid_t)>& then = {}) {
    std::promise<ChildExit> ended;
    auto child = on(loop, [&] {
      return keeper->start({.argv = {"sh", "-c", script}, .environment = {"MARK=loop-test-7431", "PATH=/usr/bin:/bin"}},
                           "MARK=loop-test-7431", [&](const ChildExit& exit) { ended.set_value(exit); });
    });
    EXPECT_TRUE(child) << child.error().message;
    if (!child) return {};
    if (then) then(child->pid);
    auto exit = ended.get_future();
    EXPECT_EQ(exit.wait_for(kLimit), std::future_status::ready);
    std::string output;
    char buffer[256];
    for (ssize_t got = 0; (got = read(child->output, buffer, sizeof buffer)) > 0;)
      output.append(buffer, static_cast<std::size_t>(got));
    close(child->output);
    return {exit.get(), output};
  }
};

TEST(ListProcesses, IsNotDisturbedByProcessesThatEndMeanwhile) {
  std::atomic<bool> done = false;
  std::thread others([&] {
    while (!done) {
      const pid_t pid = fork();
      if (pid == 0) _exit(0);
      waitpid(pid, nullptr, 0);
    }
  });
  for (int times = 0; times < 300; ++times) {
    const auto found = list_processes();
    const auto own =
        std::count_if(found.begin(), found.end(), [](const auto& process) { return process.pid == getpid(); });
    EXPECT_EQ(own, 1);
    for (const auto& process : found) carries(process.pid, "NO=SUCH");
  }
  done = true;
  others.join();
}

TEST(ChildKeeper, TellsExitCodesSignalsAndOutput) {
  Kept kept;
  const auto [exit, output] = kept.run("echo out; echo err >&2; exit 7");
  EXPECT_EQ(exit.text(), "exit code 7");
  EXPECT_EQ(output, "out\nerr\n");
  EXPECT_EQ(kept.run("kill -9 $$").first.text(), "signal 9");
}

TEST(ChildKeeper, AChildSeesNoDescriptorOfOursAndNothingToRead) {
  Kept kept;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // on purpose without close-on-exec
  const auto [exit, output] = kept.run("cat; ls /proc/self/fd | tr '\\n' ' '");
  EXPECT_EQ(output, "0 1 2 3 ");  // 3 is ls looking at the folder
  close(ends[0]);
  close(ends[1]);
}

TEST(ChildKeeper, AProgramThatIsNotThereIsNamed) {
  Kept kept;
  const auto missing =
      on(kept.loop, [&] { return kept.keeper->start({.argv = {"no-such-program"}, .environment = {}}, "M=1", {}); });
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  const auto folder =
      on(kept.loop, [&] { return kept.keeper->start({.argv = {"/tmp"}, .environment = {}}, "M=1", {}); });
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kIo);
  EXPECT_EQ(on(kept.loop, [&] { return kept.keeper->count(); }), 0U);
}

TEST(ChildKeeper, ASignalReachesTheWholeGroup) {
  Kept kept;
  const auto [exit, output] =
      kept.run("sleep 600 & wait", [&](pid_t pid) { on(kept.loop, [&] { kept.keeper->signal(pid, SIGTERM); }); });
  EXPECT_EQ(exit.text(), "signal 15");
  EXPECT_EQ(exit.survivors, 0);
}

TEST(ChildKeeper, WhenAChildEndsItsGrandchildrenEndToo) {
  Kept kept;
  const auto [exit, output] = kept.run(
      "sleep 600 & echo $!; setsid sleep 600 & "
      "until grep -q sleep /proc/$!/comm; do :; done; echo $!; exit 0");
  EXPECT_EQ(exit.survivors, 0);
  std::istringstream pids(output);
  int count = 0;
  for (int pid = 0; pids >> pid; ++count) EXPECT_NE(::kill(pid, 0), 0) << pid;
  EXPECT_EQ(count, 2);
}

TEST(ChildKeeper, DestroyedItLeavesNoChild) {
  pid_t pid = 0;
  {
    Kept kept;
    auto child = on(kept.loop, [&] {
      return kept.keeper->start({.argv = {"sleep", "600"}, .environment = {"MARK=loop-test-7432"}},
                                "MARK=loop-test-7432", {});
    });
    ASSERT_TRUE(child);
    pid = child->pid;
    close(child->output);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

}  // namespace
}  // namespace hadar
