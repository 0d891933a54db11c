"""Every code block of the README, the docs and the docstrings is run: examples that no longer work fail the tests."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.example import Example
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

ROOT = Path(__file__).parent

pytest_plugins = ["parts.fixtures"]  # the real parts that tests run on: see tests/parts

os.environ.pop("COLUMNS", None)  # a console that is made while it is set keeps that width, whatever a test says

settings.register_profile("sidewise", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("sidewise")


class Served:
    """The servers that a page of the docs starts: each at a free port, which stands in for the one the page names."""

    usual = "http://127.0.0.1:8000"

    def __init__(self) -> None:
        self.running = []

    def start(self, words) -> None:
        """``sidewise serve`` in the background, until the page has been read."""
        from parts.process import Process, free_port

        self.stop()  # the page has stopped the one before, too
        port = free_port()
        command = [sys.executable, "-m", "sidewise.cli", *words, "--port", str(port)]
        self.running.append(Process(command, port=port, log=Path("served.log"), path="/alive"))
        self.running[-1].start()

    def read(self, text: str) -> str:
        """A text with the address where the server really is."""
        return text.replace(self.usual, self.running[-1].url) if self.running else text

    def stop(self) -> None:
        """Stop them."""
        while self.running:
            self.running.pop().stop()


served = Served()


class PythonBlocks(PythonCodeBlockParser):
    """Blocks of Python; those that speak to a server find the one that the page has started."""

    def __call__(self, document):
        """Find the blocks of a page."""
        for region in super().__call__(document):
            if isinstance(region.parsed, str):
                region.evaluator = self.reading(region.evaluator)
            yield region

    @staticmethod
    def reading(evaluate):
        """An evaluator of the same block, with the address of the server."""

        def evaluated(example: Example) -> str | None:
            example.parsed = type(example.parsed)(
                served.read(example.parsed), example.parsed.offset, example.parsed.line_offset
            )
            return evaluate(example)

        return evaluated


class ShellBlocks(CodeBlockParser):
    """Blocks of shell: ``sidewise`` is run; of ``make`` it is checked that the Makefile knows the target.

    Lines that make ``sidewise`` known to the shell are let through: there is nothing to run in a test's own process.
    A server that is started runs until the page has been read, and ``export NAME=$(sidewise …)`` sets a variable.
    """

    language = "bash"
    installing = (". .venv/bin/activate", "pip install .", "pip install '.[plot,server]'", "pip install '.[server]'")

    def evaluate(self, example: Example) -> None:
        """Run the block line by line; a line that ends in a backslash goes on."""
        for line in example.parsed.replace("\\\n", " ").splitlines():
            command = served.read(line.split("#")[0].strip())
            exported = re.fullmatch(r"export (\w+)=\$\((sidewise .*)\)", command)
            if command.startswith("sidewise serve "):
                served.start(shlex.split(command)[1:])
            elif exported:
                os.environ[exported[1]] = self.run(exported[2]).strip()
            elif command.startswith("make "):
                targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
                assert command.split()[1] in targets, f"the Makefile has no target {command.split()[1]!r}"
            elif command.startswith(("sidewise ", ".venv/bin/sidewise ")):
                self.run(command)
            elif command and command not in self.installing:
                raise AssertionError(f"do not know how to check {command!r}")

    @staticmethod
    def run(command: str) -> str:
        """Run sidewise; what it prints."""
        words = [sys.executable, "-m", "sidewise.cli", *shlex.split(command)[1:]]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def in_a_folder_with_examples(tmp_path_factory):
    """Examples read and write files: they do it in a folder of their own, where examples/ is at hand."""
    folder, before = tmp_path_factory.mktemp("docs"), Path.cwd()
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(ROOT / "examples" / "cakes.csv", folder / "answers.csv")
    os.chdir(folder)
    yield folder
    served.stop()
    os.chdir(before)


pages = Sybil(
    parsers=[PythonBlocks(), ShellBlocks()],
    patterns=["README.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md"],  # ** means one folder here, not any number
    excludes=["docs/_build/**"],
    fixtures=["in_a_folder_with_examples"],
    path=str(ROOT),
)
docstrings = Sybil(
    parsers=[DocTestParser()],
    patterns=["src/*/*.py", "src/*/*/*.py", "src/*/*/*/*.py"],
    document_types={".py": PythonDocStringDocument},
    path=str(ROOT),
)

pytest_collect_file = (pages + docstrings).pytest()
