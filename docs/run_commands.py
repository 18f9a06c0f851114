"""Run the commands of the tutorial and put what they print below them: ``make tutorial``.

A block of console input that follows the line ``.. run`` (``<!-- run -->`` in Markdown) is run in a folder that holds
the tutorial's file, one command after the other; ``.. run 8`` keeps the first eight lines of each output.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
FILES = HERE / "tutorial.rst", HERE.parent / "README.md"
BLOCK = re.compile(
    r"(?P<mark>^\.\. run(?: (?P<most>\d+))?\n\n\.\. code-block:: console\n\n)(?P<lines>(?: .*\n|\n(?= ))+)"
    r"|(?P<md_mark>^<!-- run(?: (?P<md_most>\d+))? -->\n\n```console\n)(?P<md_lines>(?:(?!```).*\n)+)",
    re.MULTILINE,
)


def output_of(command: str, folder: Path) -> list[str]:
    """What a command prints, in a terminal of 84 columns without colours; a failure ends the run."""
    environment = {**os.environ, "COLUMNS": "84", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command}: {done.stderr}")
    return done.stdout.rstrip().splitlines()


def run_block(block: re.Match[str], folder: Path) -> str:
    """The block with fresh output."""
    given, mark = block["lines"] or block["md_lines"], block["mark"] or block["md_mark"]
    indent, most = "   " if block["mark"] else "", int(block["most"] or block["md_most"] or 1000)
    lines = []
    for command in re.findall(r"^ *\$ (.*)$", given, re.MULTILINE):
        printed = output_of(command, folder)
        shown = printed[:most] + (["..."] if len(printed) > most else [])
        lines += [f"$ {command}", *shown]
    return mark + "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)


def main() -> None:
    """All files; ``provend`` is the one beside this Python."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for file in FILES:
        with TemporaryDirectory() as folder:
            shutil.copy(HERE / "_static" / "data" / "sales.csv", folder)
            text = file.read_text(encoding="utf-8")
            file.write_text(BLOCK.sub(lambda block: run_block(block, Path(folder)), text), encoding="utf-8")
        print(f"run: {file.name}, {len(BLOCK.findall(text))} blocks")


if __name__ == "__main__":
    main()
