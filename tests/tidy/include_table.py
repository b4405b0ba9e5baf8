"""Which room may include what: the arrows of the house, and where each outside library may be seen."""

import re

from tree import HEADERS, Violation

PURE = ["actors/policy", "actors/pricing", "actors/throughput", "actors/consolidation"]
TYPES = ["messages/types"]
WIRE = ["messages/types", "messages/codec"]
ALL = ["messages", "runtime", "actors", "launchers", "tools", "tests"]

# Room (the longest matching prefix counts) -> what it may include beside itself.
MAY_INCLUDE = {
    "messages/types": [],
    "messages/codec": TYPES + ["messages/schema"],
    "messages/schema": [],
    "runtime": WIRE,
    "runtime/executor": WIRE + ["runtime/loop", "runtime/transport", "runtime/store"],
    "runtime/store": WIRE + ["runtime/loop"],
    "runtime/bridge": WIRE + ["runtime/transport"],
    "actors": WIRE + ["runtime", "actors"],
    "actors/policy": TYPES + PURE,
    "actors/policy/solvers": TYPES,
    "actors/pricing": TYPES + ["actors/throughput", "actors/policy/solvers"],
    "actors/throughput": TYPES + PURE,
    "actors/consolidation": TYPES + PURE,
    "launchers": ["messages", "runtime", "actors"],
    "tools": WIRE + ["launchers", "runtime/config", "runtime/transport", "tools"],
    "tools/cli": WIRE + ["launchers", "runtime/config", "runtime/transport", "runtime/store", "tools"],
    "tools/trainer": WIRE + ["runtime/weights", "tools"],
    "tests": ALL,
}
# Rooms inside which every folder is a room of its own: a neighbour counts as another room.
SPLIT = {"runtime"}

# Library -> (how its includes look, rooms that may include it).
LIBRARIES = {
    "CAF": (r"caf/", ["runtime/bridge", "actors", "launchers", "tests"]),
    "ZeroMQ": (r"zmq", ["runtime/transport", "tests"]),
    "Cap'n Proto": (r"(capnp|kj)/|.*\.capnp\.h$", ["messages/codec", "tests"]),
    "CUDA": (r"(cuda|cublas|cudnn|nccl|nvml|thrust/|cub/)", ["runtime/devices", "tests"]),
    "Asio": (r"asio", ["runtime/loop", "runtime/executor", "runtime/http", "launchers", "tests"]),
    "SQLite": (r"sqlite3", ["runtime/store", "tests"]),
    "spdlog": (r"spdlog/", ["runtime/observe", "tests"]),
    "prometheus": (r"prometheus/", ["runtime/observe", "tests"]),
    "cpp-httplib": (r"httplib", ["runtime/http", "tests"]),
    "toml++": (r"toml\+\+/", ["runtime/config", "tests"]),
    "nlohmann-json": (r"nlohmann/", ["messages/codec", "runtime", "launchers", "tools", "tests"]),
    "fmt": (r"fmt/", ["runtime", "launchers", "tools", "tests"]),
    "xxHash": (r"xxhash", ["messages/codec", "runtime/store", "runtime/transport", "tests"]),
    "CLI11": (r"CLI/", ["launchers", "tools", "tests"]),
    "Eigen": (r"Eigen/", ["tools/trainer", "tests"]),
    "Clp and Cbc": (r"coin/", ["actors/policy/solvers", "tests"]),
    "GoogleTest and its like": (r"(gtest|gmock|benchmark)/|rapidcheck", ["tests"]),
    "tl::expected": (r"tl/expected\.hpp$", ALL),
}
PURE_LIBRARIES = ["Clp and Cbc", "tl::expected"]
# Slow to compile: a header with one of these stays inside its own folder.
HEAVY = ["ZeroMQ", "Cap'n Proto", "Asio", "SQLite", "spdlog", "prometheus", "cpp-httplib", "toml++", "nlohmann-json", "fmt", "CLI11"]
LIGHT_HEADERS = {"nlohmann/json_fwd.hpp"}

SYSTEM = re.compile(r"^([a-z0-9_]+(\.h)?|(sys|netinet|arpa|net|linux)/[a-z0-9_]+\.h)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def room_of(path, rooms):
    """The longest of `rooms` that holds the path; None when there is none."""
    held = [room for room in rooms if path == room or path.startswith(room + "/")]
    return max(held, key=len) if held else None


def home_of(path):
    """The folder that counts as the file's own room."""
    room = room_of(path, MAY_INCLUDE)
    if room in SPLIT:
        return "/".join(path.split("/")[:2])
    return room


def includes_of(text):
    """(line, is_ours, name) of each include."""
    return [(text.count("\n", 0, hit.start()) + 1, hit[1] == '"', hit[2]) for hit in INCLUDE.finditer(text)]


def library_of(name):
    for library, (pattern, _) in LIBRARIES.items():
        if re.match(pattern, name.split("messages/schema/")[-1]):
            return library
    return None


def check_includes(tree):
    heavy_headers = {}
    for path, text in tree.code(HEADERS):
        for _, _, name in includes_of(text):
            if library_of(name) in HEAVY and name not in LIGHT_HEADERS:
                heavy_headers[path] = library_of(name)
    for path, text in tree.code((".hpp", ".h", ".cpp", ".c", ".cu")):
        for line, ours, name in includes_of(text):
            for rule, why in _check_one(tree, path, ours, name, heavy_headers):
                yield Violation(path, line, rule, why)


def _check_one(tree, path, ours, name, heavy_headers):
    library = library_of(name)
    if library:
        rooms = LIBRARIES[library][1]
        if room_of(path, PURE) and library not in PURE_LIBRARIES:
            yield "include-table", f"decisions are pure: {library} does not belong here"
        elif not room_of(path, rooms):
            yield "include-table", f"{library} may be included only in {', '.join(rooms)}"
        if name == "caf/all.hpp" and path.endswith(HEADERS):
            yield "heavy-header", "caf/all.hpp in a header costs every file behind it seconds; include what is used"
    elif not ours:
        if not SYSTEM.match(name):
            yield "include-table", f"<{name}> belongs to no library of the table in tests/tidy/include_table.py"
    elif name not in tree.files:
        yield "include-table", f'"{name}" is no file counted from the root'
    else:
        room, home = room_of(path, MAY_INCLUDE), home_of(path)
        if room and not room_of(name, MAY_INCLUDE[room] + [home]):
            yield "include-table", f"{home} may not include {name}; it may include {', '.join(MAY_INCLUDE[room]) or 'only itself'}"
        folder = path.rpartition("/")[0]
        if name in heavy_headers and name.rpartition("/")[0] != folder and not path.startswith("tests/"):
            yield "heavy-header", f"{name} includes {heavy_headers[name]}; keep that in a .cpp or inside its folder"
