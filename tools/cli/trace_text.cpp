#include "tools/cli/trace_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json spread_json(const traces::Spread& spread) {
  return {{"count", spread.count},
          {"mean", number_or_null(spread.mean)},
          {"min", number_or_null(spread.min)},
          {"p10", number_or_null(spread.p10)},
          {"p50", number_or_null(spread.p50)},
          {"p90", number_or_null(spread.p90)},
          {"p99", number_or_null(spread.p99)},
          {"max", number_or_null(spread.max)}};
}

Json cluster_json(const traces::ClusterLoad& load) {
  return {{"gpus", load.gpus},
          {"jobs_too_large", load.too_large},
          {"jobs_without_speed", load.unknown},
          {"gpu_h", load.gpu_h},
          {"busy_h", load.busy_h},
          {"load", number_or_null(load.load)}};
}

std::string part_text(std::uint64_t count, std::uint64_t of) {
  return fmt::format("{} ({:.1f} %)", count,
                     of == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(of));
}

std::string hours_text(double hours) {
  return fmt::format("{} h", number_text(hours));
}

}  // namespace

// Refused rows may be many: they are put in one by one.
std::string loaded_json(const traces::LoadedTrace& loaded, const std::string& file, const std::string& output) {
  Json head = {{"file", file},
               {"format", loaded.format},
               {"rows", loaded.rows},
               {"jobs", loaded.trace.jobs.size()},
               {"joined", loaded.joined},
               {"drawn", loaded.drawn},
               {"refused_rows", loaded.refused.size()},
               {"notes", loaded.notes}};
  if (!output.empty()) head["output"] = output;
  auto text = dumped(head, 2);
  text.resize(text.size() - 2);  // "\n}"
  text += ",\n  \"refused\": [";
  bool first = true;
  for (const auto& refusal : loaded.refused) {
    const Json row = {
        {"line", refusal.line}, {"column", refusal.column}, {"value", refusal.value}, {"rule", refusal.rule}};
    text += (first ? "\n    " : ",\n    ") + dumped(row, -1);
    first = false;
  }
  return text + (first ? "]\n}\n" : "\n  ]\n}\n");
}

std::string loaded_text(const traces::LoadedTrace& loaded, const std::string& file, const std::string& output) {
  auto text = fmt::format("{}: form {}, {}: {}, {} refused", file, loaded.format, count_text(loaded.rows, "row"),
                          count_text(loaded.trace.jobs.size(), "job"), loaded.refused.size());
  if (loaded.joined > 0) text += fmt::format(", {} joined", loaded.joined);
  text += output.empty() ? "\n" : fmt::format("; written to {}\n", output);
  for (const auto& note : loaded.notes) text += "  " + note + "\n";
  return text;
}

std::string stats_json(const traces::TraceStats& stats, const std::string& file) {
  Json gangs = Json::array();
  for (const auto& [gpus, jobs] : stats.gangs) gangs.push_back({{"gpus", gpus}, {"jobs", jobs}});
  Json models = Json::array();
  for (const auto& [model, jobs] : stats.models) models.push_back({{"model", model}, {"jobs", jobs}});
  const Json out = {{"file", file},
                    {"jobs", stats.jobs},
                    {"users", stats.users},
                    {"jobs_with_deadline", stats.deadlines},
                    {"first_arrival_s", stats.first_s},
                    {"last_arrival_s", stats.last_s},
                    {"jobs_per_h", number_or_null(stats.jobs_per_h)},
                    {"most_jobs_in_an_h", stats.most_in_an_h},
                    {"alone_s", spread_json(stats.alone_s)},
                    {"gpu_h", stats.gpu_h},
                    {"jobs_without_speed", stats.unknown},
                    {"gangs", std::move(gangs)},
                    {"models", std::move(models)},
                    {"cluster", stats.cluster ? cluster_json(*stats.cluster) : Json(nullptr)}};
  return dumped(out, 2) + "\n";
}

std::string stats_text(const traces::TraceStats& stats, const std::string& file) {
  auto text = fmt::format("{}: {} of {}\n", file, count_text(stats.jobs, "job"), count_text(stats.users, "user"));
  text += fmt::format("  arrivals from {} to {} s", number_text(stats.first_s), number_text(stats.last_s));
  text += stats.jobs_per_h
              ? fmt::format(": {} an hour, at most {} in one\n", number_text(*stats.jobs_per_h), stats.most_in_an_h)
              : ", all at once\n";
  const auto& alone = stats.alone_s;
  if (alone.p50)
    text += fmt::format("  time alone on V100s: mean {}, p10 {}, p50 {}, p90 {}, p99 {}, max {}\n",
                        duration_text(alone.mean), duration_text(alone.p10), duration_text(alone.p50),
                        duration_text(alone.p90), duration_text(alone.p99), duration_text(alone.max));
  text += fmt::format("  {} GPU-hours on V100s", number_text(stats.gpu_h));
  if (stats.unknown > 0)
    text += fmt::format("; {} without a speed {} not count", count_text(stats.unknown, "job"),
                        stats.unknown == 1 ? "does" : "do");
  text += "\n";
  if (stats.deadlines > 0)
    text += fmt::format("  {} {} a deadline\n", part_text(stats.deadlines, stats.jobs),
                        stats.deadlines == 1 ? "job has" : "jobs have");
  if (const auto& load = stats.cluster) {
    text += fmt::format("  on {}: {} GPU-hours, all busy for {}", count_text(load->gpus, "GPU"),
                        number_text(load->gpu_h), hours_text(load->busy_h));
    if (load->load) text += fmt::format(", load {}", number_text(*load->load));
    text +=
        fmt::format("; {} too large, {} without a speed there\n", count_text(load->too_large, "job"), load->unknown);
  }
  Table gangs({"GPUS", "JOBS"});
  for (const auto& [gpus, jobs] : stats.gangs) gangs.add({std::to_string(gpus), part_text(jobs, stats.jobs)});
  Table models({"MODEL", "JOBS"});
  for (const auto& [model, jobs] : stats.models) models.add({model, part_text(jobs, stats.jobs)});
  return text + gangs.text() + models.text();
}

std::string sample_json(const std::string& file, const std::string& output, std::uint64_t jobs, std::uint64_t of_jobs) {
  return dumped({{"file", file}, {"output", output}, {"jobs", jobs}, {"of_jobs", of_jobs}}, 2) + "\n";
}

std::string generated_json(const std::string& profile, std::uint64_t seed, const std::string& output,
                           std::uint64_t jobs) {
  return dumped({{"profile", profile}, {"seed", seed}, {"output", output}, {"jobs", jobs}}, 2) + "\n";
}

std::string formats_json() {
  Json out = {{"formats", Json::array()}, {"profiles", Json::array()}};
  for (const auto& form : traces::formats()) out["formats"].push_back({{"name", form.name}, {"summary", form.summary}});
  for (const auto& profile : traces::profiles())
    out["profiles"].push_back({{"name", profile.name}, {"summary", profile.summary}});
  return dumped(out, 2) + "\n";
}

std::string formats_text() {
  Table forms({"FORM", "WHAT IT IS"});
  for (const auto& form : traces::formats()) forms.add({std::string(form.name), std::string(form.summary)});
  Table profiles({"PROFILE", "WHAT IT MAKES UP"});
  for (const auto& profile : traces::profiles())
    profiles.add({std::string(profile.name), std::string(profile.summary)});
  return forms.text() + "\n" + profiles.text();
}

}  // namespace hadar::cli
