"""The files of the project, as the rules see them."""

import os
from dataclasses import dataclass, field

ROOMS = ["actors", "configs", "launchers", "messages", "runtime", "tests", "tools"]
ROOT_FILES = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md"]
SKIPPED_FOLDERS = {"__pycache__", "build"}
CODE = (".hpp", ".cpp", ".h", ".c", ".cu", ".py", ".capnp")
HEADERS = (".hpp", ".h")


@dataclass(frozen=True)
class Violation:
    path: str
    line: int  # 0: the file or folder as a whole
    rule: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: [{self.rule}] {self.text}" if self.line else f"{self.path}: [{self.rule}] {self.text}"


@dataclass
class Tree:
    root: str
    top: list = field(default_factory=list)      # names directly under the root
    files: dict = field(default_factory=dict)    # path from the root -> text; None when it is not UTF-8

    def text_files(self):
        return ((path, text) for path, text in sorted(self.files.items()) if text is not None)

    def code(self, extensions=CODE):
        return ((path, text) for path, text in self.text_files() if path.endswith(extensions))


def read_tree(root):
    tree = Tree(root, sorted(os.listdir(root)))
    for name in tree.top:
        full = os.path.join(root, name)
        if os.path.isfile(full):
            tree.files[name] = _text_of(full)
        elif name in ROOMS or name == ".ci":
            for folder, folders, files in os.walk(full):
                folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
                for file in files:
                    path = os.path.join(folder, file)
                    tree.files[os.path.relpath(path, root)] = _text_of(path)
    return tree


def _text_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return None
