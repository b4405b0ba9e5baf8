"""A trainer over the Python SDK whose weights are one number, without NumPy or PyTorch."""

import struct
import sys

import hadar_job


class Counter:
    total = 0

    def state_dict(self):
        return {"total": ("I64", [1], struct.pack("<q", self.total))}

    def load_state_dict(self, tensors):
        (self.total,) = struct.unpack("<q", tensors["total"][2])


model = Counter()
job = hadar_job.attach(model)
job.evaluate = lambda: {"total": model.total}
for step in job.steps(batch_size=4):
    model.total += 1
    if "crash" in sys.argv:
        raise SystemError("wished for")
