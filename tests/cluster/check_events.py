#!/usr/bin/env python3
"""Recomputes a run from `hadar events --json` alone: check_events.py EVENTS.jsonl; exit 1 when something is wrong."""
import json
import sys

def united(spans):
    """Seconds inside any of the spans."""
    total, until = 0, float("-inf")
    for start, end in sorted(spans):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total

def check(events):
    jobs, held, train, faults = {}, {}, {}, []  # held: (node, GPU) -> lease; train: (lease, base) -> s
    gpus, node_of, alone_s, shared = {}, {}, 0, {}  # alone: on nodes of one GPU; shared: the others' node -> spans
    for event in events:
        kind, job = event["kind"], jobs.get(event.get("job"))
        if kind == "Submitted":
            by_count = "target" not in event["spec"] and not event["spec"].get("effective_steps")
            jobs[event["job"]] = {"name": event["spec"]["name"], "steps_requested": event["spec"]["total_steps"],
                                  "by_count": by_count,
                                  "steps_credited": 0, "submitted_t_s": event["t_s"], "jct_s": None}
        elif kind == "NodeUp":
            gpus[event["node"]] = sum(group["count"] for group in event["gpus"])
        elif kind == "LeasesGranted":
            for lease in event["leases"]:
                node_of[lease["lease"]] = lease["node"]
                for place in ((lease["node"], gpu) for gpu in lease["gpus"]):
                    if held.setdefault(place, lease["lease"]) != lease["lease"]:
                        faults.append(f"seq {event['seq']}: {place} goes to lease {lease['lease']}, {held[place]} has it")
        elif kind == "ForkReported":  # times and steps of one base repeat what earlier reports said
            key = event["lease"], event["base"]["version"]
            added_s = max(0, event["train_s"] - train.get(key, 0))
            train[key] = train.get(key, 0) + added_s
            if gpus[node_of[event["lease"]]] > 1:  # its leases may run at once: the node counts once
                shared.setdefault(node_of[event["lease"]], []).append((event["t_s"] - added_s, event["t_s"]))
            else:
                alone_s += added_s
        elif kind == "Consolidated":
            job["steps_credited"] += event["credited"]
            if event["credited"] != sum(fork["steps"] for fork in event["forks"] if fork["in"]):
                faults.append(f"seq {event['seq']}: credits {event['credited']}, not its forks' steps")
        elif kind == "Completed":
            job["jct_s"] = event["t_s"] - job["submitted_t_s"]
            if job["by_count"] and job["steps_credited"] != job["steps_requested"]:
                faults.append(f"{job['name']}: {job['steps_credited']} steps of {job['steps_requested']} credited")
        over = {event["lease"]} if kind == "LeaseClosed" or event.get("final") else set()
        over |= {fork["lease"] for fork in event.get("forks", []) if not fork["open"]}
        held = {place: lease for place, lease in held.items() if lease not in over}
    ends = [job["submitted_t_s"] + job["jct_s"] for job in jobs.values() if job["jct_s"] is not None]
    span_s = max(ends) - min(job["submitted_t_s"] for job in jobs.values()) if ends else 0
    busy_s = alone_s + sum(united(spans) for spans in shared.values())
    return {"makespan_s": span_s, "cru": busy_s / (len(gpus) * span_s) if span_s else 0, "jobs": jobs, "faults": faults}

if __name__ == "__main__":
    print(json.dumps(result := check([json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]), indent=2))
    sys.exit(1 if result["faults"] else 0)
