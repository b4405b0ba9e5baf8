#include "tools/trainer/sleep_work.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tools/trainer/weights_file.hpp"

namespace hadar::trainer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLogLine = 80;              // bytes, with the line break
constexpr std::size_t kLogBurst = 64 * kLogLine;  // the most written after one step

class SleepWork final : public LeaseWork {
 public:
  explicit SleepWork(SleepOptions options) : options_(std::move(options)) {
    const std::uint64_t floats = (options_.checkpoint_bytes + sizeof(float) - 1) / sizeof(float);
    if (floats > 0) layout_.add("layer0.weight", {floats});
  }

  Status begin(const hadar_lease& lease) override {
    steps_ = 0;
    first_step_ = lease.first_step;
    is_gang_ = lease.world_size > 1;
    started_ = Clock::now();
    logged_ = 0;
    if (lease.weights_path == nullptr || !has_weights()) return {};
    auto weights = load_weights(lease.weights_path, layout_);
    if (!weights) return fail(std::move(weights));
    return {};
  }

  bool step(const AllReduce& reduce) override {
    if (steps_ + 1 == options_.crash_at_step) crash();
    float one = 1;
    if (is_gang_ && !reduce({&one, 1})) return false;
    ++steps_;
    write_log();
    return true;
  }

  [[nodiscard]] bool has_weights() const override { return layout_.size() > 0; }

  Status save(const std::filesystem::path& path) override {
    const auto fill = static_cast<float>(first_step_ + steps_);
    return save_weights(path, layout_, Vector::Constant(static_cast<Eigen::Index>(layout_.size()), fill));
  }

  Metrics metrics() override { return {}; }

 private:
  [[noreturn]] void crash() const {
    std::fprintf(stderr, "hadar-trainer: crash at step %" PRIu64 ", as ordered\n", options_.crash_at_step);
    std::_Exit(1);
  }

  void write_log() {
    const std::chrono::duration<double> elapsed = Clock::now() - started_;
    const auto due = static_cast<std::uint64_t>(elapsed.count() * options_.log_bytes_per_s);
    const std::uint64_t limit = logged_ + kLogBurst;
    for (; logged_ + kLogLine <= std::min(due, limit); logged_ += kLogLine) {
      const std::string head = "step " + std::to_string(steps_) + " ";
      std::printf("%s%s\n", head.c_str(), std::string(kLogLine - 1 - head.size(), '.').c_str());
    }
  }

  SleepOptions options_;
  Layout layout_;
  std::uint64_t steps_ = 0;
  std::uint64_t first_step_ = 0;
  bool is_gang_ = false;
  Clock::time_point started_;
  std::uint64_t logged_ = 0;  // bytes
};

template <class Number>
bool parse_number(std::string_view text, Number& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc{} && end == text.data() + text.size() && value >= 0;
}

bool set_option(std::string_view key, std::string_view value, SleepOptions& options) {
  if (key == "checkpoint_bytes") return parse_number(value, options.checkpoint_bytes);
  if (key == "crash_at_step") return parse_number(value, options.crash_at_step);
  return key == "log_bytes_per_s" && parse_number(value, options.log_bytes_per_s);
}

}  // namespace

Result<SleepOptions> parse_sleep_options(std::string_view text) {
  SleepOptions options;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const std::string_view setting = text.substr(0, end);
    const auto equals = std::min(setting.find('='), setting.size());
    if (equals == setting.size() || !set_option(setting.substr(0, equals), setting.substr(equals + 1), options))
      return fail(ErrorCode::kInvalidArgument,
                  "HADAR_SLEEP: '" + std::string(setting) +
                      "' is none of checkpoint_bytes=N, crash_at_step=N, log_bytes_per_s=X with a number from 0 up");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return options;
}

std::unique_ptr<LeaseWork> make_sleep_work(SleepOptions options) {
  return std::make_unique<SleepWork>(std::move(options));
}

}  // namespace hadar::trainer
