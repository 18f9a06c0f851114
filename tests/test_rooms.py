"""Rooms are entered by their face, and imports go round in no circle, those inside functions included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import provend as pv

PACKAGE = Path(pv.__file__).parent
OF_ALL = {"_kernels", "_rational", "_errors", "_files", "_display", "_validation"}  # rooms of the whole package


def module_of(file: Path) -> str:
    parts = ("provend", *file.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    return {module_of(file): ast.parse(file.read_text()) for file in sorted(PACKAGE.rglob("*.py"))}


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module of the package that is imported anywhere, but for annotations alone."""
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in for_types:
            assert node.level == 0, "relative imports are not used here"
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield inside if inside in modules() else node.module
        elif isinstance(node, ast.Import) and id(node) not in for_types:
            yield from (alias.name for alias in node.names)


def private(importer: str, names: Iterator[str]) -> list[str]:
    """Those that are private to another room than the importer's."""
    found = []
    for name in names:
        package, *inside = name.split(".")
        room = importer.split(".")[1:2]
        if package == "provend" and inside and inside[0] not in OF_ALL and inside[:1] != room:
            found += [name] if any(part.startswith("_") for part in inside[1:]) else []
    return found


def named(tree: ast.AST) -> Iterator[str]:
    """Modules and names as written, annotations included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_room_is_entered_through_the_window() -> None:
    found = {module: private(module, named(tree)) for module, tree in modules().items()}
    assert {module: names for module, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from provend.policies._base import Policy", ["provend.policies._base", "provend.policies._base.Policy"]),
        ("def f():\n    import provend.plots._style", ["provend.plots._style"]),
        ("from provend.policies import _base", ["provend.policies._base"]),
        ("from provend.policies import Policy\nfrom provend._kernels.tails.counts import x", []),
        ("from provend.regret._x import y", []),  # its own room
    ],
)
def test_the_window_is_seen(code: str, expected: list[str]) -> None:
    assert private("provend.regret", named(ast.parse(code))) == expected


def circle(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_modules_import_in_no_circle() -> None:
    """The face of a room, its ``__init__``, is above its modules, and no module of the room looks at the face."""
    graph = {name: {one for one in imported(tree) if one in modules()} - {name} for name, tree in modules().items()}
    assert circle(graph) == []
    some = next(name for name in graph["provend.cli._app"] if name != "provend")
    assert circle(graph | {some: graph[some] | {"provend.cli._app"}})


def test_rooms_import_in_no_circle() -> None:
    rooms: dict[str, set[str]] = {}
    for name, tree in modules().items():
        if name != "provend":
            found = {one.split(".")[1] for one in imported(tree) if one.startswith("provend.")}
            rooms.setdefault(name.split(".")[1], set()).update(found - {name.split(".")[1]})
    assert circle(rooms) == []


def test_any_is_the_exception() -> None:
    """Below 3 % of all signatures: where a library leaves no choice."""
    functions = [node for tree in modules().values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    vague = [one for one in functions if "Any" in {n.id for n in ast.walk(signature(one)) if isinstance(n, ast.Name)}]
    assert len(vague) < 0.03 * len(functions)


def signature(function: ast.FunctionDef) -> ast.AST:
    return ast.Tuple([function.args, *([function.returns] if function.returns else [])])
