#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/codec/client_codec.hpp"
#include "tools/cli/client.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/event_text.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/job_queries.hpp"
#include "tools/cli/json_views.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

constexpr double kFollowPollS = 0.2;
constexpr double kEndedPatienceS = 120;  // for the rest of the log of a job that ended during an outage
constexpr std::uint32_t kPageEvents = 1000;
constexpr std::uint32_t kLogPartBytes = 256U << 10U;

// One page after `seq`; prints what concerns the job. Returns the new seq.
Result<std::uint64_t> print_page(Client& client, const Settings& settings, std::uint64_t seq, std::uint64_t job,
                                 bool& more) {
  auto page = client.ask<EventPage>(QueryEvents{.after_seq = seq, .limit = kPageEvents});
  if (!page) return fail(std::move(page));
  std::string out;
  for (const auto& text : page->events) {
    const auto event = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!event.is_object() || !event.contains("seq"))
      return fail(ErrorCode::kCorrupt, fmt::format("event after {} is not an object with a seq: {}", seq, text));
    seq = event["seq"].get<std::uint64_t>();
    if (job != 0 && !concerns_job(event, job)) continue;
    out += settings.json ? text : event_line(event);
    out += "\n";
  }
  more = !page->events.empty() && seq < page->last_seq;
  if (!out.empty() && !print(out)) return fail(ErrorCode::kIo, "stdout: cannot be written");
  return seq;
}

struct LogPosition {
  NodeName node;
  std::uint64_t offset = 0;
};

// Prints what the log has after the position. Returns whether anything came.
Result<bool> print_log(Client& client, const Settings& settings, JobId job, std::uint32_t fork, LogPosition& position) {
  bool any = false;
  while (true) {
    auto part = client.ask<LogPart>(QueryLog{
        .job = job, .fork = fork, .node = position.node, .offset = position.offset, .max_bytes = kLogPartBytes});
    if (!part) return fail(std::move(part));
    std::string out = settings.json && !part->text.empty() ? log_json(job, fork, *part) : part->text;
    if (!settings.json && part->offset > position.offset)
      out = fmt::format("[{} bytes of the log were cut here]\n", part->offset - position.offset) + out;
    position.offset = part->offset + part->text.size();
    if (!out.empty() && !print(out)) return fail(ErrorCode::kIo, "stdout: cannot be written");
    any = any || !part->text.empty();
    if (!part->more) return any;
  }
}

bool is_away(const Error& error) {
  return exit_code_of(error.code) == ExitCode::kUnknown;
}

// Whether a log that is not there now may still come: always while its job goes on; after the job's end only through an
// outage, when nodes link up again one by one.
bool may_come(const Error& error, bool ended, double silent_s) {
  if (!is_away(error) && error.code != ErrorCode::kNotFound) return false;
  return !ended || (silent_s < kEndedPatienceS && (is_away(error) || silent_s > 0));
}

}  // namespace

CommandResult run_events(const Settings& settings, const EventsArgs& args) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  std::uint64_t job = 0;
  if (!args.job.empty()) {
    auto status = query_job(**client, args.job);
    if (!status) return stop(std::move(status.error()));
    job = status->job.value;
  }
  if (args.follow) catch_interrupts();
  std::uint64_t seq = args.after_seq;
  while (true) {
    bool more = false;
    auto next = print_page(**client, settings, seq, job, more);
    if (args.follow && interrupted()) return ExitCode::kDone;
    if (!next && !(args.follow && is_away(next.error()))) return stop(std::move(next.error()));
    if (next) seq = *next;
    if (more) continue;
    if (!args.follow || !pause_for(kFollowPollS)) return ExitCode::kDone;
  }
}

CommandResult run_logs(const Settings& settings, const LogsArgs& args) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto status = query_job(**client, args.job);
  if (!status) return stop(std::move(status.error()));
  if (args.follow) catch_interrupts();
  LogPosition position;
  double silent_s = 0;  // since the cluster went away
  while (true) {
    const bool ended = is_final(status->state);
    auto any = print_log(**client, settings, status->job, args.fork, position);
    if (args.follow && (interrupted() || output_error() != 0)) return ExitCode::kDone;
    if (!any && !(args.follow && may_come(any.error(), ended, silent_s))) return stop(std::move(any.error()));
    if (any && (!args.follow || ended)) return ExitCode::kDone;
    silent_s = !any && is_away(any.error()) ? silent_s + kFollowPollS : any ? 0 : silent_s;
    if (!pause_for(kFollowPollS)) return ExitCode::kDone;
    auto next = query_job(**client, args.job);
    if (!next && !is_away(next.error())) return stop(std::move(next.error()));
    if (next) status = std::move(next);
  }
}

}  // namespace hadar::cli
