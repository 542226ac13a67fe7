"""Tests of scripts/get-libtorch, in a small clone with small wheels of its own; nothing is downloaded."""

import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"
MACHINE = platform.machine()
HEADER = "include/torch/csrc/api/include/torch/version.h"


def header(version):
    major, minor, patch = version.split(".")
    return (f"#define TORCH_VERSION_MAJOR {major}\n\n#define TORCH_VERSION_MINOR {minor}\n\n"
            f"#define TORCH_VERSION_PATCH {patch}\n")


class GetLibtorch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name).resolve()
        self.clone = self.place / "clone"
        self.cache = self.place / "cache" / "tailgrid"
        self.link = self.clone / ".libtorch"
        shutil.copytree(SCRIPTS, self.clone / "scripts")

    def start(self, **environment):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.place / "cache"), "PIP_NO_INDEX": "1",
                       "PIP_FIND_LINKS": str(self.place), "PIP_CONFIG_FILE": os.devnull, **environment}
        # Isolated from site-packages: a torch of this machine must not decide a test.
        command = [sys.executable, "-S", str(self.clone / "scripts/get-libtorch")]
        packages = pathlib.Path(__import__("pip").__file__).parent.parent
        pip_only = self.place / "packages"
        if not pip_only.exists():
            pip_only.mkdir()
            (pip_only / "pip").symlink_to(packages / "pip")
        return subprocess.Popen(command, env={**environment, "PYTHONPATH": str(pip_only)},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def get(self, **environment):
        process = self.start(**environment)
        _, said = process.communicate(timeout=120)
        return process.returncode, said

    def libtorch(self, folder, version="2.9.0"):
        (folder / HEADER).parent.mkdir(parents=True)
        (folder / HEADER).write_text(header(version))
        (folder / "lib").mkdir()
        for name in ("libtorch.so", "libtorch_cpu.so", "libc10.so"):
            (folder / "lib" / name).touch()
        return folder

    def wheel(self, pinned=True):
        """A wheel with two real libraries, the headers, and members that try to get out."""
        library = self.place / "libtorch_cpu.so"
        subprocess.run(["cc", "-shared", "-o", str(library), "-x", "c", "-"], input="int one(void) { return 1; }",
                       text=True, check=True)
        path = self.place / f"torch-2.9.1-cp311-cp311-manylinux_2_28_{MACHINE}.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            for name in ("torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "../../libgomp-evil.so.1"):
                wheel.write(library, name)
            wheel.writestr("torch/" + HEADER, header("2.9.1"))
            wheel.writestr("torch/include/../../../evil.h", "evil")
            wheel.writestr("/torch/include/evil.h", "evil")
            wheel.writestr("torch/lib/libtorch_cuda.so", "large and not wanted")
            wheel.writestr("torch-2.9.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.9.1\n")
            wheel.writestr("torch-2.9.1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n")
            wheel.writestr("torch-2.9.1.dist-info/RECORD", "")
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if pinned else "0" * 64
        pins = self.clone / "scripts" / f"libtorch-{MACHINE}.txt"
        pins.write_text(f"torch==2.9.1 --hash=sha256:{digest}\n")

    def assert_sentence(self, said, *parts):
        last = said.strip().splitlines()[-1]
        for part in parts:
            self.assertIn(part, last)

    def test_a_wheel_becomes_a_whole_folder_in_the_cache_and_a_link(self):
        self.wheel()
        code, said = self.get()
        self.assertEqual(code, 0, said)
        folder = self.cache / f"libtorch-2.9.1-{MACHINE}"
        self.assertEqual(os.readlink(self.link), str(folder))
        kept = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        self.assertEqual(kept, [HEADER, "lib/libc10.so", "lib/libtorch.so", "lib/libtorch_cpu.so"])
        self.assertEqual(sorted(path.name for path in self.cache.iterdir()), [folder.name, "lock"])
        self.assertEqual(list(self.place.rglob("*evil*")), [])

    def test_a_second_clone_takes_it_from_the_cache(self):
        self.wheel()
        self.get()
        self.link.unlink()
        (self.place / f"torch-2.9.1-cp311-cp311-manylinux_2_28_{MACHINE}.whl").unlink()
        code, said = self.get()
        self.assertEqual((code, said), (0, ""))
        self.assertTrue((self.link / HEADER).exists())

    def test_two_clones_at_once_do_not_disturb_each_other(self):
        self.wheel()
        both = [self.start(), self.start()]
        for process in both:
            _, said = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, said)
        self.assertEqual(sum(path.name.startswith("libtorch-") for path in self.cache.iterdir()), 1)

    def test_what_a_killed_one_left_is_cleared_and_done_again(self):
        self.wheel()
        left = self.cache / "partial-x" / "wheels"
        left.mkdir(parents=True)
        (left / "half.whl").touch()
        self.libtorch(self.cache / f"libtorch-2.9.1-{MACHINE}", "2.4.0")  # not whole, or not the right one
        code, said = self.get()
        self.assertEqual(code, 0, said)
        self.assertFalse(left.exists())
        self.assertIn("MINOR 9", (self.link / HEADER).read_text())

    def test_a_wheel_with_another_hash_is_refused_and_leaves_nothing(self):
        self.wheel(pinned=False)
        code, said = self.get()
        self.assertEqual(code, 1, said)
        self.assertIn("THESE PACKAGES DO NOT MATCH THE HASHES", said)
        self.assert_sentence(said, "pip could not get LibTorch", "`make libtorch`", "BACKEND=flex")
        self.assertEqual([path.name for path in self.cache.iterdir()], ["lock"])
        self.assertFalse(self.link.is_symlink())

    def test_a_right_libtorch_of_the_environment_wins(self):
        self.wheel()
        own = self.libtorch(self.place / "own")
        self.assertEqual(self.get(LIBTORCH=str(own)), (0, ""))
        self.assertEqual(os.readlink(self.link), str(own))

    def test_a_wrong_libtorch_of_the_environment_is_told_in_a_sentence(self):
        old = self.libtorch(self.place / "old", "2.4.0")
        code, said = self.get(LIBTORCH=str(old))
        self.assertEqual(code, 1)
        self.assert_sentence(said, "holds LibTorch 2.4.0", "unset LIBTORCH", "make libtorch")
        code, said = self.get(LIBTORCH=str(self.place))
        self.assert_sentence(said, "holds no LibTorch", "unset LIBTORCH")
        (self.libtorch(self.place / "torn") / "lib/libc10.so").unlink()
        code, said = self.get(LIBTORCH=str(self.place / "torn"))
        self.assert_sentence(said, "is not whole (there is no lib/libc10.so)")

    def test_an_installed_torch_is_linked_and_a_broken_one_passed_over(self):
        self.wheel()
        packages = self.place / "packages" / "torch"
        self.libtorch(packages, "2.9.0")
        (packages / "__init__.py").touch()
        (packages / "version.py").write_text("__version__ = '2.9.0+cpu'\n")
        (self.place / "packages/pip").symlink_to(pathlib.Path(__import__("pip").__file__).parent)
        code, said = self.get()  # its libraries are empty files, which do not load
        self.assertIn("the torch 2.9.0+cpu of this Python does not serve", said)
        self.assertIn("libtorch-2.9.1", os.readlink(self.link))
        for name in ("libtorch_cpu.so", "libc10.so"):
            shutil.copy(self.place / "libtorch_cpu.so", packages / "lib" / name)
        self.link.unlink()
        code, said = self.get()
        self.assertEqual((code, said), (0, ""))
        self.assertIn("libtorch-python-", os.readlink(self.link))
        self.assertEqual(os.readlink(self.link / "lib/libc10.so"), str(packages / "lib/libc10.so"))
        self.assertEqual((self.link / "lib/libtorch.so").read_text(), "INPUT(libtorch_cpu.so)\n")

    def test_a_folder_put_there_by_hand_is_used_or_told(self):
        self.link.mkdir()
        code, said = self.get()
        self.assertEqual(code, 1)
        self.assert_sentence(said, "the folder .libtorch holds no LibTorch", "`rm -r .libtorch`")
        self.link.rmdir()
        self.libtorch(self.link)
        self.assertEqual(self.get(), (0, ""))


if __name__ == "__main__":
    unittest.main()
