#include <sys/ioctl.h>
#include <unistd.h>

#include "messages/codec/client_codec.hpp"
#include "tools/cli/client.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/json_views.hpp"
#include "tools/cli/text.hpp"
#include "tools/cli/watch_view.hpp"

namespace hadar::cli {
namespace {

constexpr double kRedrawS = 0.5;
constexpr const char* kEnterScreen = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeaveScreen = "\x1b[?25h\x1b[?1049l";
constexpr const char* kHome = "\x1b[H\x1b[2J";

Result<WatchData> look(Client& client) {
  auto nodes = client.ask<NodeList>(QueryNodes{});
  if (!nodes) return fail(std::move(nodes));
  auto jobs = client.ask<JobList>(QueryJobs{.job = "", .all = true});
  if (!jobs) return fail(std::move(jobs));
  return WatchData{client.endpoint(), std::move(*nodes), std::move(*jobs)};
}

bool draw(const WatchData& data) {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) size = {24, 80, 0, 0};
  return print(kHome + watch_screen(data, size.ws_col, size.ws_row));
}

// Puts the terminal back however the command ends.
class Screen {
 public:
  explicit Screen(bool on) : on_(on) {
    if (on_) print(kEnterScreen);
  }
  ~Screen() {
    if (on_) print(kLeaveScreen);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

 private:
  bool on_;
};

}  // namespace

CommandResult run_watch(const Settings& settings) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  catch_interrupts();
  const bool terminal = stdout_is_terminal() && !settings.json;
  ChangeLines changes;
  bool seen = false;
  bool away_told = false;
  const Screen screen(terminal);
  while (true) {
    auto data = look(**client);
    if (interrupted()) return ExitCode::kDone;
    bool open = true;
    if (data) {
      seen = true;
      away_told = false;
      if (settings.json)
        open = print(watch_json(data->nodes, data->jobs));
      else
        open = terminal ? draw(*data) : print(changes.update(*data));
    } else {
      if (!seen || exit_code_of(data.error().code) != ExitCode::kUnknown) return stop(std::move(data.error()));
      if (!away_told && !settings.json) open = print("no answer: " + data.error().message + "\n");
      away_told = true;
    }
    if (!open || !pause_for(kRedrawS)) return ExitCode::kDone;
  }
}

}  // namespace hadar::cli
