#include <caf/all.hpp>

#include "launchers/policies.hpp"
#include "launchers/process.hpp"
#include "launchers/scheduler_options.hpp"
#include "messages/codec/round_codec.hpp"
#include "runtime/store/round_archive.hpp"

namespace hadar {
namespace {

void keep_round(RoundArchive& archive, Logger& log, const RoundInput& input, const RoundPlan& plan,
                const std::string& policy) {
  RoundRecord record;
  record.round = input.round;
  record.early = input.early;
  record.policy = policy;
  record.input = Codec<RoundInput>::encode(input).body;
  record.plan = Codec<RoundPlan>::encode(plan).body;
  if (auto saved = archive.save(record); !saved) log.error("round_not_kept", {{"why", saved.error().message}});
}

}  // namespace

Result<std::shared_ptr<void>> add_scheduler_role(Process& process) {
  const auto& config = process.config();
  const auto& options = config.scheduler;
  auto opened = RoundArchive::open(config.process.state / "rounds");
  if (!opened) return tl::unexpected<Error>(opened.error());
  const std::shared_ptr<RoundArchive> archive = *std::move(opened);

  auto& system = process.system();
  auto& local = process.local();
  RoundFlowPeers peers;
  peers.ledger = process.find(&LocalActors::ledger, "job-tracker", ActorKey::kJobLedger);
  peers.price_oracle = process.find(&LocalActors::price_oracle, "price-oracle", ActorKey::kPriceOracle);
  peers.policy = process.find(&LocalActors::policy, "policy", ActorKey::kPolicy);
  peers.lease_keeper = local.lease_keeper =
      spawn_lease_keeper(system, SpawnMode::kShared, lease_keeper_options(options), peers.ledger);
  peers.membership = local.membership =
      spawn_membership(system, SpawnMode::kShared, membership_options(options), local.lease_keeper, peers.ledger);
  auto flow = round_flow_options(options);
  flow.incarnation = process.incarnation();
  if (const auto made = make_policy(options.policy)) flow.shares_gpus = (*made)->traits().shares_gpus;
  flow.archive = [archive, log = process.shared_log()](const RoundInput& input, const RoundPlan& plan,
                                                       const std::string& policy) {
    keep_round(*archive, *log, input, plan, policy);
  };
  local.round_flow = spawn_round_flow(system, SpawnMode::kShared, flow, peers);
  caf::anon_send(local.lease_keeper, KeeperPeers{local.round_flow});
  process.bridge().serve(ActorKey::kMembership, local.membership);
  process.bridge().serve(ActorKey::kLeaseKeeper, local.lease_keeper);
  process.bridge().serve(ActorKey::kRoundFlow, local.round_flow);
  return std::static_pointer_cast<void>(archive);
}

}  // namespace hadar
