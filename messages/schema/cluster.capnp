# Nodes and their GPUs, as values. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f10;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");

enum NodeState {
  # Where a node stands.
  none @0;  # never sent
  up @1;
  unknown @2;
  lost @3;
  draining @4;
  drained @5;
}

struct GpuGroup {
  # GPUs of one type on a node.
  type @0 :Text;
  count @1 :UInt32;
}

struct NodeInventory {
  # What a node offers. GPUs are numbered 0, 1, … through the groups in their order.
  name @0 :Text;
  gpus @1 :List(GpuGroup);
  pcieGbS @2 :Float64;  # 0 = unknown
  netGbS @3 :Float64;  # 0 = unknown
  emulated @4 :Bool;
}

struct NodeView {
  # A node as users and planners see it.
  inventory @0 :NodeInventory;
  state @1 :NodeState;
  reason @2 :Text;
  idleGpus @3 :List(UInt32);  # indices; empty unless up
  leases @4 :List(UInt64);  # open leases
  epoch @5 :UInt64;
  sinceS @6 :Float64;  # cluster time of the last change of state
  drainDeadlineS @7 :Float64;  # cluster time at which a draining node's leases are taken back; 0 = never
}
