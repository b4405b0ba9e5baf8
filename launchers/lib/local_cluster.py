"""A cluster of local processes under one state folder: up, status, logs, kill, restart, down."""
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import uuid

import processes
from entry import Failed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONTROL_ROLES = ["scheduler", "price-oracle", "job-tracker", "policy", "gateway"]
OWN_SETTINGS = ("process.name", "process.roles", "process.listen", "process.advertise", "process.state", "peers.", "cluster.id",
                "node.gpus")


def binary(name):
    folder = os.environ.get("HADAR_BIN", os.path.join(ROOT, "build", "bin"))
    path = os.path.join(folder, name)
    if not os.access(path, os.X_OK):
        raise Failed(f"{path}: not there; build it first (cmake --preset release && cmake --build build), or set HADAR_BIN")
    return path


def run_hadar(arguments, limit_s=30):
    """Runs the command line; returns (exit code, stdout, stderr's last line)."""
    done = subprocess.run([binary("hadar"), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=limit_s, start_new_session=True)
    lines = done.stderr.strip().splitlines()
    return done.returncode, done.stdout, lines[-1] if lines else ""


def free_port(taken):
    """A port nobody listens on, outside the range the kernel hands to outgoing connections."""
    for _ in range(1000):
        port = random.randrange(20000, 32000)
        if port in taken:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        taken.add(port)
        return port
    raise Failed("no free port between 20000 and 31999 on 127.0.0.1")


def toml_text(sections):
    """{section: {key: value}} as TOML; the section "" comes first without a header."""
    def value_text(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, list):
            return "[" + ", ".join(value_text(one) for one in value) + "]"
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{json.dumps(key)} = {value_text(one)}" for key, one in value.items()) + " }"
        return json.dumps(value, ensure_ascii=False)

    out = []
    for name, values in sections.items():
        if name:
            out.append(f"\n[{name}]")
        out += [f"{key} = {value_text(value)}" for key, value in values.items()]
    return "\n".join(out) + "\n"


def read_cluster(path):
    """The cluster file as the strict reader of hadar sees it."""
    code, out, error = run_hadar(["config", "check", path, "--json"])
    if code != 0:
        raise Failed(error.removeprefix("hadar: "), code)
    cluster = json.loads(out)
    if cluster["kind"] != "cluster":
        raise Failed(f"{path}: is a {cluster['kind']} file, must be a cluster file with [[nodes]]", 2)
    if cluster["throughputs"]:
        cluster["throughputs"] = os.path.abspath(cluster["throughputs"])
    return cluster


def check_description(data):
    """Raises ValueError unless every member of a cluster.json that is used is there and of its kind."""
    def text(holder, where, key):
        value = holder.get(key)
        if not isinstance(value, str) or not value or "\0" in value:
            raise ValueError(f"{where}{key}: got {json.dumps(value)[:60]}, must be a text")

    def texts(holder, where, key):
        value = holder.get(key)
        if not isinstance(value, list) or not all(isinstance(one, str) and "\0" not in one for one in value):
            raise ValueError(f"{where}{key}: got {json.dumps(value)[:60]}, must be a list of texts")

    if not isinstance(data, dict):
        raise ValueError("it holds no JSON object")
    for key in ("cluster_id", "endpoint"):
        text(data, "", key)
    texts(data, "", "settings")
    if not isinstance(data.get("processes"), list):
        raise ValueError("processes: must be a list")
    names = set()
    for at, process in enumerate(data["processes"]):
        where = f"processes[{at}]"
        if not isinstance(process, dict):
            raise ValueError(f"{where}: must be an object")
        for key in ("name", "role", "endpoint", "log", "output", "config", "state"):
            text(process, where + ".", key)
        for key in ("pid", "start_ticks"):
            value = process.get(key)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value <= 0):
                raise ValueError(f"{where}.{key}: got {json.dumps(value)[:60]}, must be a positive number or null")
            process[key] = value
        if process["name"] in names:
            raise ValueError(f"{where}.name: {process['name']} is there twice")
        names.add(process["name"])


class LocalCluster:
    """What one state folder knows: its description is cluster.json, written anew at each change."""

    def __init__(self, state):
        self.state = os.path.abspath(state)
        self.file = os.path.join(self.state, "cluster.json")
        self.data = None
        self.children = {}

    # ---- description ----

    def load(self):
        try:
            if os.path.exists(self.file) and not os.path.isfile(self.file):
                raise ValueError("it is no regular file")
            with open(self.file, encoding="utf-8") as file:
                data = json.load(file)
            check_description(data)
            self.data = data
        except FileNotFoundError:
            raise Failed(f"{self.file}: not there; start a cluster with local-cluster up --state {self.state}", 2) from None
        except (OSError, ValueError, RecursionError) as error:
            raise Failed(f"{self.file}: not a cluster file ({error})", 2) from None
        return self

    def save(self):
        processes.write_file(self.file, json.dumps(self.data, indent=2) + "\n")

    def find(self, name):
        for process in self.data["processes"]:
            if process["name"] == name:
                return process
        names = ", ".join(process["name"] for process in self.data["processes"])
        raise Failed(f"no process named '{name}' in {self.file}; there are {names}", 2)

    @staticmethod
    def alive(process):
        return processes.is_alive(process["pid"], process["start_ticks"])

    def describe(self, cluster, options):
        """Writes one configuration a process. A stopped cluster keeps its id, and so its state."""
        taken = set()
        cluster_id = self.data["cluster_id"] if self.data else f"local-{uuid.uuid4().hex[:12]}"
        groups = [[role] for role in CONTROL_ROLES] if options.separate else [CONTROL_ROLES]
        control = {roles[0] if options.separate else "control": roles for roles in groups}
        for node in cluster["nodes"]:
            if node["node"] in control:
                raise Failed(f"{options.cluster}: nodes.name: {node['node']} is the name of a control process here; "
                             "choose another", 2)
        endpoints = {name: f"tcp://127.0.0.1:{free_port(taken)}"
                     for name in [*control, *(node["node"] for node in cluster["nodes"])]}
        home = {role: endpoints[name] for name, roles in control.items() for role in roles}
        self.data = {"cluster_id": cluster_id, "endpoint": home["gateway"], "policy": options.policy,
                     "round_s": options.round, "separate": options.separate, "cluster": os.path.abspath(options.cluster),
                     "settings": options.set, "processes": []}
        shared = {
            "cluster": {"id": cluster_id},
            "peers": {role.replace("-", "_"): endpoint for role, endpoint in home.items()},
            "scheduler": {"policy": options.policy, "round_s": options.round},
            "tracker": {"throughputs": cluster["throughputs"], "time_scale": cluster["time_scale"]},
        }
        for name, roles in control.items():
            self.add_process(name, roles, endpoints[name], shared)
        for node in cluster["nodes"]:
            section = {"gpus": node["gpus"], "pcie_gb_s": node["pcie_gb_s"], "net_gb_s": node["net_gb_s"],
                       "emulated": node["emulated"]}
            if node["emulated"]:
                section |= {"throughputs": cluster["throughputs"], "time_scale": cluster["time_scale"]}
            only = {key: shared[key] for key in ("cluster", "peers")}
            self.add_process(node["node"], ["node-worker"], endpoints[node["node"]], only | {"node": section})
        self.save()

    def add_process(self, name, roles, endpoint, sections):
        state = os.path.join(self.state, "processes", name)
        os.makedirs(state, exist_ok=True)
        config = os.path.join(self.state, "config", name + ".toml")
        process = {"name": name, "roles": roles, "listen": endpoint, "state": state}
        processes.write_file(config, toml_text({"process": process} | sections))
        self.data["processes"].append(
            {"name": name, "role": ",".join(roles), "roles": roles, "pid": None, "start_ticks": None, "endpoint": endpoint,
             "log": os.path.join(state, name + ".log"), "output": os.path.join(self.state, "log", name + ".out"),
             "config": config, "state": state})

    # ---- starting ----

    def start_process(self, process):
        output = process["output"]
        settings = [word for setting in self.data["settings"] for word in ("--set", setting)]
        process["ready_after"] = os.path.getsize(output) if os.path.exists(output) else 0
        child = processes.start([binary("hadard"), "--config", process["config"], *settings], output, self.state)
        try:
            self.children[process["name"]] = child
            process["pid"] = child.pid
            process["start_ticks"] = processes.start_ticks(child.pid)
            process["started_unix_s"] = round(time.time(), 3)
            self.save()
        except BaseException:
            processes.end_child(child)  # a process that cluster.json does not know would never be ended
            raise

    def is_ready(self, process):
        """Whether it has printed its ready line since it was started."""
        try:
            with open(process["output"], "rb") as file:
                file.seek(process["ready_after"])
                return f"ready {process['name']} " in file.read().decode("utf-8", "replace")
        except OSError:
            return False

    def check_running(self, process):
        if self.alive(process):
            return
        child = self.children.get(process["name"])
        code = child.wait() if child else None
        how = f"with exit code {code}" if code is not None and code >= 0 else f"by signal {-code}" if code else "at once"
        lines = processes.last_lines(process["output"]) or processes.last_lines(process["log"])
        if code == 2 and lines:  # a setting was refused: the process's own line says it all
            raise Failed(lines[-1].removeprefix("hadard: "), 2)
        said = "".join(f"\n  {process['name']}| {line}" for line in lines)
        raise Failed(f"process {process['name']} ended {how}; the last lines of {process['output']}:{said}",
                     2 if code == 2 else 1)

    def wait_until(self, done, what, watched, limit_s, interrupts):
        deadline = time.monotonic() + limit_s
        while not done():
            interrupts.check()
            for process in watched:
                self.check_running(process)
            if time.monotonic() > deadline:
                raise Failed(f"{what} after {limit_s:g} s; see the logs in {self.state}/log")
            time.sleep(0.05)

    def up(self, options, interrupts):
        cluster = read_cluster(options.cluster)
        for setting in options.set:
            if setting.split("=")[0].strip().startswith(OWN_SETTINGS):
                raise Failed(f"--set {setting}: local-cluster gives each process its own", 2)
        fresh = not os.path.exists(self.state)
        os.makedirs(self.state, exist_ok=True)
        self.refuse_live()
        try:
            for folder in ("config", "log"):
                os.makedirs(os.path.join(self.state, folder), exist_ok=True)
            self.describe(cluster, options)
            for process in self.data["processes"]:
                interrupts.check()
                self.start_process(process)
            for process in self.data["processes"]:
                self.wait_until(lambda one=process: self.is_ready(one), f"process {process['name']} is not ready",
                                self.data["processes"], options.limit, interrupts)
            names = {node["node"] for node in cluster["nodes"]}
            self.wait_until(lambda: names <= self.nodes_up(), "not every node is UP", self.data["processes"],
                            options.limit, interrupts)
            interrupts.check()
        except BaseException as error:
            if self.data:
                self.stop()
            if fresh and isinstance(error, Failed) and error.code == 2:
                shutil.rmtree(self.state, ignore_errors=True)  # wrong usage leaves nothing behind
            raise

    def refuse_live(self):
        if not os.path.exists(self.file):
            return
        self.load()
        live = [process for process in self.data["processes"] if self.alive(process)]
        if live:
            names = ", ".join(f"{process['name']} (pid {process['pid']})" for process in live)
            raise Failed(f"{self.state}: a cluster runs there: {names}; stop it with local-cluster down --state {self.state}")

    def nodes_up(self):
        code, out, _ = run_hadar(["nodes", "--json", "--endpoint", self.data["endpoint"], "--cluster-id",
                                  self.data["cluster_id"], "--timeout", "2"])
        return {node["node"] for node in json.loads(out) if node["state"] == "UP"} if code == 0 else set()

    def stop(self):
        live = [(process["pid"], process["start_ticks"]) for process in self.data["processes"] if self.alive(process)]
        return processes.end(live)

    # ---- ending, looking ----

    def down(self):
        """Ends every process of the cluster; returns the names of those that had to be killed."""
        self.load()
        stubborn = {pid for pid, _ in self.stop()}
        killed = [process["name"] for process in self.data["processes"] if process["pid"] in stubborn]
        for process in self.data["processes"]:
            process["pid"] = None
            process["start_ticks"] = None
        try:
            self.save()
        except Failed as error:  # on a full disk: nothing runs any more, which is what was asked for
            print(f"local-cluster: {error}", file=sys.stderr)
        return killed

    def kill(self, name, number):
        self.load()
        process = self.find(name)
        if not processes.send(process["pid"], process["start_ticks"], number):
            raise Failed(f"process {name} does not run; start it with local-cluster restart {name} --state {self.state}")
        if number == 9:
            processes.wait_gone([(process["pid"], process["start_ticks"])], 5.0)

    def restart(self, name, limit_s, interrupts):
        """Starts a process that ended, on the ports and state it had."""
        self.load()
        process = self.find(name)
        if self.alive(process):
            raise Failed(f"process {name} runs (pid {process['pid']}); end it with local-cluster kill {name}")
        self.start_process(process)
        try:
            self.wait_until(lambda: self.is_ready(process), f"process {name} is not ready", [process], limit_s, interrupts)
        except BaseException:
            if self.alive(process):
                processes.end([(process["pid"], process["start_ticks"])])
            raise

    def status(self):
        self.load()
        return [{"role": process["role"], "name": process["name"], "pid": process["pid"] if self.alive(process) else None,
                 "state": "running" if self.alive(process) else "stopped", "endpoint": process["endpoint"],
                 "log": process["log"], "output": process["output"], "config": process["config"]}
                for process in self.data["processes"]]

    def guard(self, interrupts):
        """Stays until a signal comes or a process ends by itself; the latter is a failure."""
        while True:
            if interrupts.signal is not None:
                return
            for process in self.data["processes"]:
                self.check_running(process)
            time.sleep(0.2)
