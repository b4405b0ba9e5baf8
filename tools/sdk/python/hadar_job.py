"""Train under Hadar from Python. Standard library only; works with PyTorch, NumPy or neither.

    import hadar_job
    job = hadar_job.attach(model)                      # anything with state_dict() and load_state_dict()
    job.evaluate = lambda: {"accuracy": accuracy(model)}
    for step in job.steps(batch_size=32):
        ...train one step...

The loop ends when the job needs this process no more. Between its steps leases come and go: at a border the weights
are written, `evaluate` is asked, the next lease's weights are loaded into the model. Started outside Hadar the same
script runs HADAR_STANDALONE_STEPS steps (1000 when unset) and writes HADAR_STANDALONE_RESULT when that is set.
"""

import ctypes
import json
import os
import random
import struct
import sys
from types import SimpleNamespace

__all__ = ["attach", "Job", "Fault", "load_safetensors", "save_safetensors"]

_GO, _EXIT = 0, 1
_TRAIN, _SAVE, _END = 0, 1, 2
_LARGEST_HEADER = 100_000_000

# safetensors name, torch name, NumPy type string
_DTYPES = [
    ("F64", "float64", "<f8"), ("F32", "float32", "<f4"), ("F16", "float16", "<f2"), ("BF16", "bfloat16", None),
    ("I64", "int64", "<i8"), ("I32", "int32", "<i4"), ("I16", "int16", "<i2"), ("I8", "int8", "|i1"),
    ("U8", "uint8", "|u1"), ("BOOL", "bool", "|b1"),
]


class Fault(RuntimeError):
    """The node worker is gone, or this process was started in a way it cannot work in."""


class _Lease(ctypes.Structure):
    _fields_ = [
        ("weights_path", ctypes.c_char_p), ("seed", ctypes.c_uint64), ("quota_steps", ctypes.c_uint64),
        ("first_step", ctypes.c_uint64), ("total_steps", ctypes.c_uint64), ("batch_size", ctypes.c_uint32),
        ("fork", ctypes.c_uint32), ("rank", ctypes.c_uint32), ("world_size", ctypes.c_uint32),
    ]


def _library_paths():
    named = os.environ.get("HADAR_JOB_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.normpath(os.path.join(here, "..", "..", "..", "build", "lib", "libhadar_job.so"))
    return [built, "libhadar_job.so"]


def _load_library():
    failures = []
    for path in _library_paths():
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as error:
            failures.append(str(error))
    else:
        raise Fault("cannot load libhadar_job.so (" + "; ".join(failures) + "); set HADAR_JOB_LIBRARY to its path")
    handle = ctypes.c_void_p
    for name, result, arguments in [
        ("connect", handle, []),
        ("next_lease", ctypes.c_int, [handle, ctypes.POINTER(_Lease)]),
        ("before_step", ctypes.c_int, [handle]),
        ("after_step", None, [handle, ctypes.c_uint64]),
        ("result_path", ctypes.c_char_p, [handle]),
        ("saved", None, [handle]),
        ("metric", ctypes.c_int, [handle, ctypes.c_char_p, ctypes.c_double]),
        ("end_lease", None, [handle]),
        ("all_reduce", ctypes.c_int, [handle, ctypes.POINTER(ctypes.c_float), ctypes.c_size_t]),
        ("close", None, [handle]),
        ("last_error", ctypes.c_char_p, []),
    ]:
        function = getattr(library, "hadar_" + name)
        function.restype, function.argtypes = result, arguments
    return library


class Job:
    """The job this process trains. `evaluate` may be set to a function that gives validation metrics by name."""

    def __init__(self, load, save):
        """`load(path or None, seed)` puts weights into the model; `save(path)` writes them as safetensors."""
        self._library = _load_library()
        self._handle = self._library.hadar_connect()
        if not self._handle:
            raise Fault(self._last_error())
        self._load, self._save = load, save
        self.evaluate = None
        self.lease = None

    def steps(self, batch_size=None):
        """Yields the number of each step to train, counted over the whole job. Samples per step: `batch_size`, or the
        lease's. A script that leaves the loop early calls close(); else its last lease counts as failed."""
        while self._next_lease():
            yield from self._lease_steps(batch_size or self.lease.batch_size)
            self._finish()
        self.close()

    def _lease_steps(self, samples):
        number = self.lease.first_step
        while True:
            action = self._library.hadar_before_step(self._handle)
            if action == _END:
                return
            if action == _SAVE:
                self._write()
                self._library.hadar_saved(self._handle)
                continue
            yield number
            number += 1
            self._library.hadar_after_step(self._handle, samples)

    def _finish(self):
        self._write()
        self._library.hadar_end_lease(self._handle)
        self.lease = None

    def metric(self, name, value):
        """A validation metric, sent with the next weights. Not finite: ValueError."""
        if self._library.hadar_metric(self._handle, name.encode(), float(value)) != 0:
            raise ValueError(self._last_error())

    def all_reduce(self, tensor):
        """Sums a contiguous float32 CPU tensor, NumPy array or ctypes float array over the gang, in place."""
        address, count = _floats_of(tensor)
        pointer = ctypes.cast(address, ctypes.POINTER(ctypes.c_float))
        if self._library.hadar_all_reduce(self._handle, pointer, count) != 0:
            raise Fault(self._last_error())

    def close(self):
        """Leaves the job; a lease that is still open ends with the steps done so far. steps() calls it at its end."""
        if self._handle:
            if self.lease:
                self._finish()
            self._library.hadar_close(self._handle)
            self._handle = None

    def _next_lease(self):
        raw = _Lease()
        answer = self._library.hadar_next_lease(self._handle, ctypes.byref(raw))
        if answer == _EXIT:
            return False
        if answer != _GO:
            sys.exit("hadar_job: " + self._last_error())
        fields = {name: getattr(raw, name) for name, _ in _Lease._fields_}
        fields["weights_path"] = os.fsdecode(raw.weights_path) if raw.weights_path else None
        self.lease = SimpleNamespace(**fields)
        self._load(self.lease.weights_path, self.lease.seed)
        _seed_data_order(f"{self.lease.seed}:{self.lease.fork}:{self.lease.first_step}:{self.lease.rank}")
        return True

    def _write(self):
        path = self._library.hadar_result_path(self._handle)
        if not path:
            return
        self._save(os.fsdecode(path))
        for name, value in (self.evaluate() if self.evaluate else {}).items():
            self.metric(name, value)

    def _last_error(self):
        return self._library.hadar_last_error().decode(errors="replace")


def attach(model):
    """Connects this process to its job and ties the model to it.

    A model is a torch.nn.Module, anything else with state_dict() and load_state_dict(), or a dict of NumPy arrays. Before
    the first version its weights start from the job's seed (reset_parameters() of each module), the same in every fork.
    """

    def load(path, seed):
        if path is None:
            _start_from_seed(model, seed)
        elif isinstance(model, dict):
            for name, value in load_safetensors(path).items():
                model[name] = value
        else:
            model.load_state_dict(load_safetensors(path))

    def save(path):
        save_safetensors(path, model if isinstance(model, dict) else model.state_dict())

    return Job(load, save)


def _start_from_seed(model, seed):
    torch = sys.modules.get("torch")
    random.seed(seed)
    if torch is None or not hasattr(model, "modules"):
        return
    torch.manual_seed(seed)
    for module in model.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()


def _seed_data_order(text):
    """Forks of a job start from one model and must see the data in different orders; equal leases see the same."""
    generator = random.Random(text)
    random.seed(generator.getrandbits(64))
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(generator.getrandbits(32))
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(generator.getrandbits(63))


def _floats_of(tensor):
    if hasattr(tensor, "data_ptr"):
        if tensor.dtype != sys.modules["torch"].float32 or not tensor.is_contiguous() or tensor.device.type != "cpu":
            raise TypeError("all_reduce takes contiguous float32 tensors on the CPU")
        return tensor.data_ptr(), tensor.numel()
    if hasattr(tensor, "__array_interface__"):
        if tensor.dtype.str != "<f4" or not tensor.flags["C_CONTIGUOUS"]:
            raise TypeError("all_reduce takes C-contiguous float32 arrays")
        return tensor.ctypes.data, tensor.size
    return ctypes.addressof(tensor), len(tensor)


def _parts_of(value):
    """(safetensors type, shape, bytes) of a torch tensor, a NumPy array or such a triple."""
    if isinstance(value, tuple):
        return value
    if hasattr(value, "data_ptr"):
        tensor = value.detach().cpu().contiguous()
        name = str(tensor.dtype).rsplit(".", 1)[-1]
        kind = next((kind for kind, torch_name, _ in _DTYPES if torch_name == name), None)
        size = tensor.numel() * tensor.element_size()
        data = ctypes.string_at(tensor.data_ptr(), size) if size else b""
        shape = list(tensor.shape)
    elif hasattr(value, "__array_interface__"):
        name = value.dtype.str
        kind = next((kind for kind, _, array_name in _DTYPES if array_name == name), None)
        data, shape = value.tobytes(), list(value.shape)
    else:
        raise TypeError(f"weights must be torch tensors or NumPy arrays, not {type(value).__name__}")
    if kind is None:
        raise TypeError(f"weights of type {name} cannot be written as safetensors")
    return kind, shape, data


def save_safetensors(path, tensors):
    """Writes {name: tensor} to a safetensors file. Tensors are torch tensors, NumPy arrays or (type, shape, bytes)."""
    header, chunks, offset = {}, [], 0
    for name in sorted(tensors):
        kind, shape, data = _parts_of(tensors[name])
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for data in chunks:
            file.write(data)


def load_safetensors(path, raw=False):
    """Reads a safetensors file into {name: tensor}: torch tensors where torch is imported, else NumPy arrays where numpy
    is, else (or with `raw`) triples (type, shape, bytes)."""
    with open(path, "rb") as file:
        content = file.read()
    if len(content) < 8:
        raise ValueError(f"{path}: {len(content)} bytes are no safetensors file")
    (size,) = struct.unpack("<Q", content[:8])
    if size > min(len(content) - 8, _LARGEST_HEADER):
        raise ValueError(f"{path}: its header would be {size} bytes long, the file is not")
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    data = memoryview(content)[8 + size:]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        if not 0 <= begin <= end <= len(data):
            raise ValueError(f"{path}: tensor {name} lies outside the file")
        tensors[name] = _tensor(entry["dtype"], entry["shape"], bytes(data[begin:end]), raw)
    return tensors


def _tensor(kind, shape, data, raw):
    known = next((entry for entry in _DTYPES if entry[0] == kind), None)
    if known is None:
        raise ValueError(f"safetensors type {kind} is not known here")
    if raw:
        return kind, shape, data
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        dtype = getattr(torch, known[1])
        if not data:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)
    if "numpy" in sys.modules and known[2] is not None:
        return sys.modules["numpy"].frombuffer(bytearray(data), dtype=known[2]).reshape(shape)
    return kind, shape, data
