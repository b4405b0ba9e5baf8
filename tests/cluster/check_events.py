#!/usr/bin/env python3
"""Recomputes a run from `hadar events --json` alone: check_events.py EVENTS.jsonl; exit 1 when something is wrong."""
import json
import sys

def check(events):
    jobs, nodes, held, train, faults = {}, set(), {}, {}, []  # held: (node, GPU) -> lease; train: (lease, base) -> s
    for event in events:
        kind, job = event["kind"], jobs.get(event.get("job"))
        if kind == "Submitted":
            jobs[event["job"]] = {"name": event["spec"]["name"], "steps_requested": event["spec"]["total_steps"],
                                  "steps_credited": 0, "submitted_t_s": event["t_s"], "jct_s": None}
        elif kind == "NodeUp":
            nodes.add(event["node"])
        elif kind == "LeasesGranted":
            for lease in event["leases"]:
                for place in ((lease["node"], gpu) for gpu in lease["gpus"]):
                    if held.setdefault(place, lease["lease"]) != lease["lease"]:
                        faults.append(f"seq {event['seq']}: {place} goes to lease {lease['lease']}, {held[place]} has it")
        elif kind == "ForkReported":  # times and steps of one base repeat what earlier reports said
            key = event["lease"], event["base"]["version"]
            train[key] = max(train.get(key, 0), event["train_s"])
        elif kind == "Consolidated":
            job["steps_credited"] += event["credited"]
            if event["credited"] != sum(fork["steps"] for fork in event["forks"] if fork["in"]):
                faults.append(f"seq {event['seq']}: credits {event['credited']}, not its forks' steps")
        elif kind == "Completed":
            job["jct_s"] = event["t_s"] - job["submitted_t_s"]
            if job["steps_credited"] != job["steps_requested"]:
                faults.append(f"{job['name']}: {job['steps_credited']} steps of {job['steps_requested']} credited")
        over = {event["lease"]} if kind == "LeaseClosed" or event.get("final") else set()
        over |= {fork["lease"] for fork in event.get("forks", []) if not fork["open"]}
        held = {place: lease for place, lease in held.items() if lease not in over}
    ends = [job["submitted_t_s"] + job["jct_s"] for job in jobs.values() if job["jct_s"] is not None]
    span_s = max(ends) - min(job["submitted_t_s"] for job in jobs.values()) if ends else 0
    return {"makespan_s": span_s, "cru": sum(train.values()) / (len(nodes) * span_s) if span_s else 0, "jobs": jobs, "faults": faults}

if __name__ == "__main__":
    print(json.dumps(result := check([json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]), indent=2))
    sys.exit(1 if result["faults"] else 0)
