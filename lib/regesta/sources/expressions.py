"""JMESPath expressions compiled to Python functions.

They know the functions of JMESPath and those of `functions.RecordFunctions`. The nodes that
declarations use most (fields, literals, comparisons, conditions, lists, functions) become closures
with the meaning of `jmespath` itself; every other node is left to its interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.visitor import Options, TreeInterpreter

from regesta.sources.functions import RecordFunctions

PLAIN_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
Evaluate = Callable[[Any], Any]
_Node = Any  # a node of the syntax tree of `jmespath`

_FUNCTIONS = RecordFunctions()
_INTERPRETER = TreeInterpreter(Options(custom_functions=_FUNCTIONS))


@lru_cache(maxsize=4096)
def compile_expression(text: str) -> Evaluate:
    """Return the function of a record (any JSON value) that a JMESPath expression stands for.

    Raises ValueError for wrong syntax and unknown functions; the function returned raises
    ValueError naming the expression where its arguments have the wrong type.
    """
    try:
        node = jmespath.compile(text).parsed
        _check_functions(node)
    except JMESPathError as error:
        raise ValueError(f"expected a JMESPath expression: {_one_line(error)}") from error
    return _named(_compile(node), text)


def is_given(expression: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return a function that tells whether a record has the field of a plain path at all.

    A field that is absent says nothing; one that is there and empty, or within an object that is
    null, may mean "ended". Any other expression always counts as given.
    """
    if not PLAIN_PATH.fullmatch(expression):
        return lambda record: True  # noqa: ARG005
    steps = expression.split(".")

    def given(record: Mapping[str, Any]) -> bool:
        """Tell whether a record has the field, be it null or within a null object."""
        value: Any = record
        for step in steps:
            if not isinstance(value, Mapping) or step not in value:
                return False
            value = value[step]
            if value is None:
                return True
        return True

    return given


def compile_content(text: str) -> Evaluate:
    """Return the function for an expression that says what of a record is its content.

    As `compile_expression`, but an object is made without the keys of fields that a record lacks:
    what is absent stays apart from what is there and null.
    """
    evaluate = compile_expression(text)
    node = jmespath.compile(text).parsed
    if node["type"] != "multi_select_dict":
        return evaluate
    pairs = [(pair["value"], _path(pair["children"][0])) for pair in node["children"]]
    given = {key: is_given(path) for key, path in pairs if path is not None}

    def run(record: Any) -> Any:
        made = evaluate(record)
        if not isinstance(made, dict):
            return made
        return {key: made[key] for key in made if key not in given or given[key](record)}

    return run


def _path(node: _Node) -> str | None:
    """Return the plain path that a node is, if it is one."""
    if node["type"] == "field":
        return str(node["value"])
    if node["type"] != "subexpression":
        return None
    steps = [_path(child) for child in node["children"]]
    return None if None in steps else ".".join(map(str, steps))


def is_true(value: Any) -> bool:
    """Tell whether JMESPath counts `value` as true (0 is; false, null and empty values are not)."""
    return not (value is None or value is False or value in ("", [], {}))


def _named(evaluate: Evaluate, text: str) -> Evaluate:
    def run(record: Any) -> Any:
        try:
            return evaluate(record)
        except (ValueError, TypeError) as error:
            raise ValueError(f"expression {text!r} failed: {_one_line(error)}") from error

    return run


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _check_functions(node: Any) -> None:
    if not isinstance(node, Mapping):
        return
    if node["type"] == "function_expression":
        _check_call(node)
    for child in node["children"]:
        _check_functions(child)


def _check_call(node: _Node) -> None:
    name, given = node["value"], len(node["children"])
    if name not in _FUNCTIONS.FUNCTION_TABLE:
        known = ", ".join(sorted(_FUNCTIONS.FUNCTION_TABLE))
        raise JMESPathError(f"unknown function {name}(); known are {known}")
    signature = _FUNCTIONS.FUNCTION_TABLE[name]["signature"]
    variadic = bool(signature) and signature[-1].get("variadic", False)
    if given < len(signature) or (given > len(signature) and not variadic):
        raise JMESPathError(f"{name}() takes {len(signature)} arguments, {given} given")


def _compile(node: _Node) -> Evaluate:
    build = _BUILDERS.get(node["type"])
    if build is None:
        return lambda value: _INTERPRETER.visit(node, value)
    return build(node)


def _field(node: _Node) -> Evaluate:
    name = node["value"]
    return lambda value: value.get(name) if isinstance(value, dict) else None


def _literal(node: _Node) -> Evaluate:
    constant = node["value"]
    return lambda _value: constant


def _identity(_node: _Node) -> Evaluate:
    return lambda value: value


def _chain(node: _Node) -> Evaluate:
    steps = [_compile(child) for child in node["children"]]
    if len(steps) == 2:
        first, second = steps
        return lambda value: second(first(value))

    def run(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return run


def _or(node: _Node) -> Evaluate:
    left, right = map(_compile, node["children"])

    def run(value: Any) -> Any:
        found = left(value)
        return found if is_true(found) else right(value)

    return run


def _and(node: _Node) -> Evaluate:
    left, right = map(_compile, node["children"])

    def run(value: Any) -> Any:
        found = left(value)
        return right(value) if is_true(found) else found

    return run


def _not(node: _Node) -> Evaluate:
    (inner,) = map(_compile, node["children"])
    return lambda value: not is_true(inner(value))


def _comparator(node: _Node) -> Evaluate:
    if node["value"] not in ("eq", "ne"):
        return lambda value: _INTERPRETER.visit(node, value)
    left, right = map(_compile, node["children"])
    if node["value"] == "eq":
        return lambda value: _equal(left(value), right(value))
    return lambda value: not _equal(left(value), right(value))


def _equal(left: Any, right: Any) -> bool:
    """JSON equality: 0 and 1 differ from false and true (only at the top, as in jmespath)."""
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    return bool(left == right)


def _list(node: _Node) -> Evaluate:
    elements = [_compile(child) for child in node["children"]]
    return lambda value: None if value is None else [element(value) for element in elements]


def _call(node: _Node) -> Evaluate:
    name = node["value"]
    arguments = [_compile(child) for child in node["children"]]
    call = _FUNCTIONS.call_function
    return lambda value: call(name, [argument(value) for argument in arguments])


_BUILDERS: Mapping[str, Callable[[_Node], Evaluate]] = {
    "field": _field,
    "literal": _literal,
    "identity": _identity,
    "current": _identity,
    "subexpression": _chain,
    "pipe": _chain,
    "or_expression": _or,
    "and_expression": _and,
    "not_expression": _not,
    "comparator": _comparator,
    "multi_select_list": _list,
    "function_expression": _call,
}
