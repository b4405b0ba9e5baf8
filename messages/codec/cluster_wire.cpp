#include "messages/codec/cluster_wire.hpp"

namespace hadar::wire {
namespace {

std::uint64_t gpu_count(const std::vector<hadar::GpuGroup>& groups) {
  std::uint64_t count = 0;
  for (const auto& group : groups) count += group.count;
  return count;
}

}  // namespace

void check_gpu_count(const std::vector<hadar::GpuGroup>& groups, const Where& at) {
  constexpr std::uint64_t kMaxGpus = 65'536;
  const auto count = gpu_count(groups);
  if (count > kMaxGpus) refuse(at, std::to_string(count) + " GPUs", "must be at most 65536 on a node");
}

void check_indices(const std::vector<std::uint32_t>& indices, const std::vector<hadar::GpuGroup>& groups,
                   const Where& at) {
  const auto count = gpu_count(groups);
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] >= count)
      refuse(at[i], indices[i], "must be below the node's number of GPUs, " + std::to_string(count));
}

void build(GpuGroup::Builder out, const hadar::GpuGroup& in) {
  out.setType(text(in.type));
  out.setCount(in.count);
}

hadar::GpuGroup read(GpuGroup::Reader in, const Where& at) {
  hadar::GpuGroup out;
  out.type = read_name(in.getType(), at / "type");
  out.count = between<std::uint32_t>(in.getCount(), 1, 65536, at / "count");
  return out;
}

void build(NodeInventory::Builder out, const hadar::NodeInventory& in) {
  out.setName(text(in.name));
  build_list(in.gpus, [&](auto size) { return out.initGpus(size); });
  out.setPcieGbS(in.pcie_gb_s);
  out.setNetGbS(in.net_gb_s);
  out.setEmulated(in.emulated);
}

hadar::NodeInventory read(NodeInventory::Reader in, const Where& at) {
  hadar::NodeInventory out;
  out.name = read_name(in.getName(), at / "name");
  out.gpus = read_list(in.getGpus(), at / "gpus");
  out.pcie_gb_s = not_negative(in.getPcieGbS(), at / "pcie_gb_s");
  out.net_gb_s = not_negative(in.getNetGbS(), at / "net_gb_s");
  out.emulated = in.getEmulated();
  check_gpu_count(out.gpus, at / "gpus");
  return out;
}

void build(NodeView::Builder out, const hadar::NodeView& in) {
  build(out.initInventory(), in.inventory);
  out.setState(static_cast<NodeState>(in.state));
  out.setReason(text(in.reason));
  build_list(in.idle_gpus, [&](auto size) { return out.initIdleGpus(size); });
  build_list(in.leases, [&](auto size) { return out.initLeases(size); });
  out.setEpoch(in.epoch.value);
  out.setSinceS(in.since_s);
  out.setDrainDeadlineS(in.drain_deadline_s);
}

hadar::NodeView read(NodeView::Reader in, const Where& at) {
  hadar::NodeView out;
  out.inventory = read(in.getInventory(), at / "inventory");
  out.state = read_enum<hadar::NodeState>(in.getState(), 1, 5, at / "state");
  out.reason = read_text(in.getReason(), at / "reason");
  out.idle_gpus = read_numbers(in.getIdleGpus(), at / "idle_gpus");
  out.leases = read_ids<LeaseId>(in.getLeases(), at / "leases");
  out.epoch = Epoch{in.getEpoch()};
  out.since_s = not_negative(in.getSinceS(), at / "since_s");
  out.drain_deadline_s = not_negative(in.getDrainDeadlineS(), at / "drain_deadline_s");
  check_indices(out.idle_gpus, out.inventory.gpus, at / "idle_gpus");
  return out;
}

}  // namespace hadar::wire
