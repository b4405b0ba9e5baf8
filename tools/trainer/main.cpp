// hadar-trainer: the bundled trainer. Started by a node worker, or by hand for a try.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "tools/trainer/data_sets.hpp"
#include "tools/trainer/learner_work.hpp"
#include "tools/trainer/sleep_work.hpp"
#include "tools/trainer/task.hpp"
#include "tools/trainer/weights_file.hpp"

namespace hadar::trainer {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;

struct Options {
  std::string workload;
  std::string weights;  // of `evaluate`
  bool evaluate = false;
  bool json = false;
};

int complain(int exit_code, const std::string& message) {
  std::fprintf(stderr, "hadar-trainer: %s\n", message.c_str());
  return exit_code;
}

Result<std::unique_ptr<Task>> open_task(const std::string& workload) {
  auto folder = data_folder();
  if (!folder) return fail(std::move(folder));
  return make_task(workload, *folder);
}

void print_metrics(const Metrics& metrics, bool as_json) {
  const char* separator = as_json ? "{" : "";
  for (const auto& [name, value] : metrics) {
    std::printf(as_json ? "%s\"%s\": %.9g" : "%s%s %.9g", separator, name.c_str(), value);
    separator = as_json ? ", " : "\n";
  }
  std::printf(as_json ? "}\n" : "\n");
}

int evaluate(const Options& options) {
  auto task = open_task(options.workload);
  if (!task) return complain(kBadInput, task.error().message);
  auto weights = load_weights(options.weights, (*task)->layout());
  if (!weights) return complain(kBadInput, weights.error().message);
  print_metrics((*task)->evaluate(*weights), options.json);
  return kDone;
}

Result<std::unique_ptr<LeaseWork>> make_work(const Options& options) {
  if (options.workload == "sleep") {
    const char* settings = std::getenv("HADAR_SLEEP");
    auto sleep = parse_sleep_options(settings == nullptr ? "" : settings);
    if (!sleep) return fail(std::move(sleep));
    return make_sleep_work(*sleep);
  }
  auto task = open_task(options.workload);
  if (!task) return fail(std::move(task));
  return make_learner_work(*std::move(task));
}

int train(const Options& options) {
  auto work = make_work(options);
  if (!work) return complain(kBadInput, work.error().message);
  hadar_job* job = hadar_connect();
  if (job == nullptr) return complain(kFailed, hadar_last_error());
  const auto done = run_leases(job, **work);
  hadar_close(job);
  return done ? kDone : complain(kFailed, done.error().message);
}

// Fills `options`; an exit code when there is nothing left to do.
std::optional<int> parse(int argc, char** argv, Options& options) {
  CLI::App app("Trains one of the bundled workloads under Hadar: image, weather, recommendation or sleep.");
  app.add_option("workload", options.workload, "image, weather, recommendation or sleep");
  auto* evaluation = app.add_subcommand("evaluate", "Print the validation metrics of a weights file");
  evaluation->add_option("workload", options.workload)->required();
  evaluation->add_option("weights", options.weights, "a safetensors file")->required();
  evaluation->add_flag("--json", options.json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(kBadInput, error.what());
  }
  options.evaluate = evaluation->parsed();
  if (options.workload.empty())
    return complain(kBadInput, "no workload; choose image, weather, recommendation or sleep");
  return std::nullopt;
}

}  // namespace
}  // namespace hadar::trainer

int main(int argc, char** argv) {
  hadar::trainer::Options options;
  if (const auto over = hadar::trainer::parse(argc, argv, options)) return *over;
  try {
    return options.evaluate ? hadar::trainer::evaluate(options) : hadar::trainer::train(options);
  } catch (const std::bad_alloc&) {
    return hadar::trainer::complain(hadar::trainer::kFailed,
                                    "out of memory: " + options.workload +
                                        " takes more than there is; give its job a smaller batch_size, or " +
                                        "checkpoint_bytes for sleep");
  }
}
