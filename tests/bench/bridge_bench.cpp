// How long a request between two processes takes through the bridge, beside a bare ROUTER and DEALER in the same run.
#include <algorithm>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <memory>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "messages/types/control.hpp"
#include "runtime/bridge/bridge.hpp"
#include "runtime/bridge/caf_compat.hpp"
#include "runtime/transport/zmq_transport.hpp"

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::StatBlob)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::BlobStat)

namespace hadar {
namespace {

using Clock = std::chrono::steady_clock;
using Echo = caf::typed_actor<caf::replies_to<StatBlob>::with<BlobStat>>;

constexpr std::size_t kFrameBytes = 64;  // of each of the two frames in the bare exchange; as large as the bridge's

struct Plan {
  std::size_t window = 1;
  std::size_t requests = 0;
};
struct Figures {
  double p50_us = 0;
  double p99_us = 0;
  double per_s = 0;
  double cpu_us = 0;  // per request, both processes together
};

Figures figures_of(std::vector<double> us, double seconds) {
  std::sort(us.begin(), us.end());
  const auto at = [&](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  return {at(0.5), at(0.99), static_cast<double>(us.size()) / seconds};
}

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// CPU time that we and a server have used so far.
double cpu_us_with(pid_t server) {
  clockid_t theirs{};
  if (::clock_getcpuclockid(server, &theirs) != 0) return 0;
  double us = 0;
  for (const clockid_t clock : {clockid_t{CLOCK_PROCESS_CPUTIME_ID}, theirs}) {
    timespec used{};
    ::clock_gettime(clock, &used);
    us += static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) / 1e3;
  }
  return us;
}

template <class Run>
Figures measure(pid_t server, Plan plan, Run run_plan) {
  const double before = cpu_us_with(server);
  Figures figures = run_plan(plan);
  figures.cpu_us = (cpu_us_with(server) - before) / static_cast<double>(plan.requests);
  return figures;
}

// ---- bare

[[noreturn]] void serve_bare(const std::string& endpoint) {
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind(endpoint);
  while (true) {
    zmq::message_t frame;
    if (!router.recv(frame)) continue;
    const bool more = frame.more();
    router.send(frame, more ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
}

Figures run_bare(const std::string& endpoint, Plan plan) {
  zmq::context_t context;
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  dealer.set(zmq::sockopt::linger, 0);
  dealer.connect(endpoint);
  const std::string bytes(kFrameBytes, 'x');
  std::vector<Clock::time_point> started(plan.requests);
  std::vector<double> us;
  us.reserve(plan.requests);
  std::size_t sent = 0;
  const auto send_next = [&] {
    started[sent++] = Clock::now();
    dealer.send(zmq::buffer(bytes), zmq::send_flags::sndmore);
    dealer.send(zmq::buffer(bytes), zmq::send_flags::none);
  };
  const auto start = Clock::now();
  while (sent < std::min(plan.window, plan.requests)) send_next();
  zmq::message_t frame;
  while (us.size() < plan.requests) {
    do {
      (void)dealer.recv(frame);
    } while (frame.more());
    us.push_back(us_since(started[us.size()]));
    if (sent < plan.requests) send_next();
  }
  return figures_of(std::move(us), us_since(start) / 1e6);
}

// ---- bridge

TransportOptions options_of(const std::string& name) {
  TransportOptions options;
  options.cluster_id = "bench";
  options.self.name = name;
  options.self.incarnation = 1;
  options.self.pid = static_cast<std::uint64_t>(::getpid());
  return options;
}

std::unique_ptr<ZmqTransport> open_or_exit(TransportOptions options, TransportEvents events) {
  auto transport = open_zmq_transport(std::move(options), std::move(events));
  if (!transport) {
    std::fprintf(stderr, "bridge_bench: %s\n", transport.error().message.c_str());
    std::exit(1);
  }
  return std::move(*transport);
}

Echo::behavior_type echo() {
  return {[](const StatBlob& asked) { return BlobStat{asked.blob.size, false}; }};
}

[[noreturn]] void serve_bridge(const std::string& endpoint) {
  caf::actor_system_config config;
  use_live_scheduler(config, 2);
  caf::actor_system system(config);
  Bridge bridge(system);
  bridge.serve(ActorKey::kBlobKeeper, system.spawn(echo));
  auto options = options_of("server");
  options.listen = {endpoint};
  const auto transport = open_or_exit(std::move(options), bridge.events());
  bridge.attach(*transport);
  while (true) ::pause();
}

struct AskerState {
  Plan plan;
  std::size_t sent = 0;
  std::size_t failed = 0;
  std::vector<double> us;
  Clock::time_point start;
};
using Asker = caf::stateful_actor<AskerState>;

void finish(Asker* self, std::promise<Figures>& done) {
  if (self->state.failed > 0) std::fprintf(stderr, "bridge_bench: %zu requests failed\n", self->state.failed);
  done.set_value(self->state.failed > 0 ? Figures{}
                                        : figures_of(std::move(self->state.us), us_since(self->state.start) / 1e6));
  self->quit();
}

void ask_next(Asker* self, const Echo& echo_actor, const std::shared_ptr<std::promise<Figures>>& done) {
  const auto started = Clock::now();
  ++self->state.sent;
  const auto answered = [self, echo_actor, done, started](bool ok) {
    AskerState& state = self->state;
    state.us.push_back(us_since(started));
    if (!ok) ++state.failed;
    if (state.sent < state.plan.requests)
      ask_next(self, echo_actor, done);
    else if (state.us.size() == state.plan.requests)
      finish(self, *done);
  };
  self->request(echo_actor, std::chrono::seconds(5), StatBlob{{"00112233445566778899aabbccddeeff", self->state.sent}})
      .then([answered](const BlobStat&) { answered(true); }, [answered](const caf::error&) { answered(false); });
}

Figures run_bridge(caf::actor_system& system, const Echo& echo_actor, Plan plan) {
  auto done = std::make_shared<std::promise<Figures>>();
  auto result = done->get_future();
  system.spawn([plan, echo_actor, done](Asker* self) {
    self->state.plan = plan;
    self->state.us.reserve(plan.requests);
    self->state.start = Clock::now();
    for (std::size_t i = 0; i < std::min(plan.window, plan.requests); ++i) ask_next(self, echo_actor, done);
  });
  return result.get();
}

// ---- both

pid_t start_server(void (*serve)(const std::string&), const std::string& endpoint) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  serve(endpoint);
  ::_exit(1);
}

void print_row(const char* what, Plan plan, const Figures& figures, const Figures& bare) {
  std::printf("%-8s %7zu %10zu %9.1f %9.1f %11.0f %8.1f   p50 x %.2f, rate x %.2f\n", what, plan.window, plan.requests,
              figures.p50_us, figures.p99_us, figures.per_s, figures.cpu_us, figures.p50_us / bare.p50_us,
              figures.per_s / bare.per_s);
}

int run(const std::string& folder, bool ipc, bool check) {
  // Two runs at once get ports of their own.
  const int port = 20'000 + 2 * (::getpid() % 10'000);
  const auto endpoint_of = [&](const char* name, int number) {
    return ipc ? "ipc://" + folder + "/" + name : "tcp://127.0.0.1:" + std::to_string(number);
  };
  const std::string bare_endpoint = endpoint_of("bare", port);
  const std::string bridge_endpoint = endpoint_of("bridge", port + 1);
  // Before any thread of ZeroMQ or CAF: neither survives a fork.
  const pid_t servers[] = {start_server(serve_bare, bare_endpoint),
                           start_server([](const std::string& endpoint) { serve_bridge(endpoint); }, bridge_endpoint)};
  const Plan latency{1, 5'000};
  const Plan rate{64, 200'000};
  const auto bare = [&](Plan plan) { return run_bare(bare_endpoint, plan); };
  bare({1, 500});
  const Figures bare_latency = measure(servers[0], latency, bare);
  const Figures bare_rate = measure(servers[0], rate, bare);

  Figures bridge_latency, bridge_rate;
  {
    std::promise<void> up;
    caf::actor_system_config config;
    use_live_scheduler(config, 2);
    caf::actor_system system(config);
    Bridge bridge(system, {[&up](const PeerInfo&) { up.set_value(); }, {}, {}, {}});
    const auto transport = open_or_exit(options_of("client"), bridge.events());
    bridge.attach(*transport);
    transport->connect(bridge_endpoint);
    up.get_future().wait();
    const Echo proxy = bridge.proxy_for<Echo>("server", ActorKey::kBlobKeeper);
    const auto bridged = [&](Plan plan) { return run_bridge(system, proxy, plan); };
    bridged({1, 500});
    bridge_latency = measure(servers[1], latency, bridged);
    bridge_rate = measure(servers[1], rate, bridged);
    bridge.detach();
  }
  for (const pid_t server : servers) {
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);
  }

  std::printf("%s, %u cores\n", ipc ? "ipc" : "tcp loopback", std::thread::hardware_concurrency());
  std::printf("%-8s %7s %10s %9s %9s %11s   against bare\n", "", "window", "requests", "p50_us", "p99_us",
              "requests/s");
  print_row("bare", latency, bare_latency, bare_latency);
  print_row("bridge", latency, bridge_latency, bare_latency);
  print_row("bare", rate, bare_rate, bare_rate);
  print_row("bridge", rate, bridge_rate, bare_rate);
  const bool held = bridge_latency.per_s > 0 && bridge_latency.p50_us <= 500 && bridge_rate.per_s >= 40'000;
  std::printf("bar: p50 <= 500 us at window 1, >= 40000/s at window 64: %s\n", held ? "held" : "MISSED");
  return check && !held ? 1 : 0;
}

}  // namespace
}  // namespace hadar

int main(int argc, char** argv) {
  bool ipc = false;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--ipc") == 0) {
      ipc = true;
    } else if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else {
      std::fprintf(stderr, "bridge_bench: unknown option %s; use [--ipc] [--check]\n", argv[i]);
      return 2;
    }
  }
  char folder[] = "/tmp/hadar-bench-XXXXXX";
  if (::mkdtemp(folder) == nullptr) return 1;
  const int code = hadar::run(folder, ipc, check);
  for (const char* name : {"/bare", "/bridge"}) ::unlink((std::string(folder) + name).c_str());
  ::rmdir(folder);
  return code;
}
