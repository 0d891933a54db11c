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


class ShellBlocks(CodeBlockParser):
    """Blocks of shell: ``sidewise`` is run; of ``make`` it is checked that the Makefile knows the target.

    Lines that make ``sidewise`` known to the shell are let through: there is nothing to run in a test's own process.
    """

    language = "bash"
    installing = (". .venv/bin/activate", "pip install .", "pip install '.[plot]'")

    def evaluate(self, example: Example) -> None:
        """Run the block line by line; a line that ends in a backslash goes on."""
        for line in example.parsed.replace("\\\n", " ").splitlines():
            command = line.split("#")[0].strip()
            if command.startswith("make "):
                targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
                assert command.split()[1] in targets, f"the Makefile has no target {command.split()[1]!r}"
            elif command.startswith(("sidewise ", ".venv/bin/sidewise ")):
                words = [sys.executable, "-m", "sidewise.cli", *shlex.split(command)[1:]]
                done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
                assert done.returncode == 0, done.stdout + done.stderr
            elif command and command not in self.installing:
                raise AssertionError(f"do not know how to check {command!r}")


@pytest.fixture(scope="module")
def in_a_folder_with_examples(tmp_path_factory):
    """Examples read and write files: they do it in a folder of their own, where examples/ is at hand."""
    folder, before = tmp_path_factory.mktemp("docs"), Path.cwd()
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(ROOT / "examples" / "cakes.csv", folder / "answers.csv")
    os.chdir(folder)
    yield folder
    os.chdir(before)


pages = Sybil(
    parsers=[PythonCodeBlockParser(), ShellBlocks()],
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
