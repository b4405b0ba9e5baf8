// A process executor with the test trainer, and a way to wait for what it says.
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/executor/process_executor.hpp"

namespace hadar {

class ExecutorTest : public ::testing::Test {
 protected:
  static constexpr auto kLimit = std::chrono::seconds(20);

  ExecutorTest() {
    char name[] = "/tmp/hadar-executor-XXXXXX";
    folder_ = mkdtemp(name);
    options_.work_folder = folder_ / "work";
    options_.log_folder = folder_ / "logs";
    options_.stop_grace_s = 2;
    options_.term_grace_s = 0.2;
  }
  ~ExecutorTest() override {
    executor_.reset();
    std::filesystem::remove_all(folder_);
  }

  void open() {
    auto made = ProcessExecutor::create(loop_, options_);
    ASSERT_TRUE(made) << made.error().message;
    executor_ = *std::move(made);
    executor_->set_sink([this](ExecutorEvent event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
      news_.notify_all();
    });
  }

  LeaseRun lease(std::uint64_t id, std::uint64_t quota, std::vector<std::string> wishes = {}, std::uint64_t job = 1) {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "test";
    spec->command = {HADAR_TEST_TRAINER};
    spec->command.insert(spec->command.end(), wishes.begin(), wishes.end());
    spec->total_steps = 1000;
    LeaseRun run;
    run.lease.id = {id};
    run.lease.fork = {{job}, 0};
    run.lease.gpus = {0};
    run.lease.quota_steps = quota;
    run.lease.spec = std::move(spec);
    return run;
  }

  LeaseRun gang(std::uint64_t id, std::uint32_t size, std::uint64_t quota, std::vector<std::string> wishes = {}) {
    auto run = lease(id, quota, std::move(wishes));
    run.lease.gpus.clear();
    for (std::uint32_t gpu = 0; gpu < size; ++gpu) run.lease.gpus.push_back(gpu);
    run.lease.gang.world_size = size;
    return run;
  }

  LeaseRun python_lease(std::uint64_t id, std::uint64_t quota, const std::vector<std::string>& wishes = {}) {
    options_.trainers.job_library = HADAR_JOB_LIBRARY;
    options_.trainers.python_folder = HADAR_PYTHON_FOLDER;
    auto run = lease(id, quota);
    auto spec = std::make_shared<JobSpec>(*run.lease.spec);
    spec->command = {"/usr/bin/env"};
    std::istringstream variables(HADAR_PYTHON_ENVIRONMENT);
    for (std::string variable; variables >> variable;) spec->command.push_back(variable);
    spec->command.insert(spec->command.end(), {HADAR_PYTHON, HADAR_PYTHON_TRAINER});
    spec->command.insert(spec->command.end(), wishes.begin(), wishes.end());
    run.lease.spec = std::move(spec);
    return run;
  }

  // The n-th (from 0) event of this kind about this lease; fails the test when it does not come.
  template <class T>
  T wait_for(std::uint64_t id, std::size_t n = 0) {
    std::unique_lock lock(mutex_);
    std::optional<T> found;
    news_.wait_for(lock, kLimit, [&] {
      std::size_t seen = 0;
      for (const auto& event : events_)
        if (const auto* one = std::get_if<T>(&event); one != nullptr && one->lease.value == id && seen++ == n)
          found = *one;
      return found.has_value();
    });
    EXPECT_TRUE(found) << "no such event of lease " << id;
    return found.value_or(T{});
  }

  // Waits until the lease has done this many steps.
  void wait_for_steps(std::uint64_t id, std::uint64_t steps) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(news_.wait_for(lock, kLimit, [&] {
      for (const auto& event : events_)
        if (const auto* p = std::get_if<executor_event::Progressed>(&event);
            p != nullptr && p->lease.value == id && p->steps >= steps)
          return true;
      return false;
    }));
  }

  template <class T>
  std::size_t count(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    std::size_t n = 0;
    for (const auto& event : events_)
      if (const auto* one = std::get_if<T>(&event); one != nullptr && one->lease.value == id) ++n;
    return n;
  }

  std::string log(std::uint64_t job = 1) {
    const auto part = executor_->read_log({{job}, 0}, 0, 10'000'000);
    return part ? part->text : "";
  }

  // Waits until the job's log holds the text.
  void wait_for_log(const std::string& text, std::uint64_t job = 1) {
    const auto limit = std::chrono::steady_clock::now() + kLimit;
    while (log(job).find(text) == std::string::npos) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << "the log never said " << text;
      sched_yield();
    }
  }

  // The number after each `word` in the job's log.
  std::vector<int> numbers_after(const std::string& word, std::uint64_t job = 1) {
    std::vector<int> out;
    const auto text = log(job);
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      out.push_back(std::atoi(text.c_str() + at + word.size()));
    return out;
  }

  static bool runs(int pid) { return ::kill(pid, 0) == 0; }

  static std::string content(const std::filesystem::path& file) {
    std::string text;
    std::getline(std::ifstream(file), text);
    return text;
  }

  std::size_t result_files() const {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(options_.work_folder))
      n += entry.path().filename().string().starts_with("lease-") ? 1 : 0;
    return n;
  }

  EventLoop loop_;
  std::filesystem::path folder_;
  ProcessExecutorOptions options_;
  std::unique_ptr<ProcessExecutor> executor_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<ExecutorEvent> events_;
};

}  // namespace hadar
