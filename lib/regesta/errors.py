"""Errors that a user can act on: each says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence


class RegestaError(Exception):
    """A mistake in input, configuration or set-up, told in words that name the remedy.

    The command line prints its text without a traceback and exits with `exit_code`.
    """

    exit_code = 1


class ConfigurationError(RegestaError):
    """One or more mistakes in configuration files; every mistake is listed."""

    exit_code = 2

    def __init__(self, message: str, mistakes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.mistakes = tuple(mistakes) or (message,)

    @classmethod
    def from_mistakes(cls, mistakes: Sequence[str]) -> ConfigurationError:
        """Join mistakes, each a sentence that names file, key and what was expected."""
        head = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        lines = [f"The configuration has {head}:", *(f"  - {m}" for m in mistakes)]
        return cls("\n".join(lines), mistakes)


class SetupError(RegestaError):
    """Java, a JVM part or another piece of the installation is missing or wrong."""

    exit_code = 3


class InputError(RegestaError):
    """The archive can't be read, or too much of it was rejected."""

    exit_code = 4


class BusyError(RegestaError):
    """Another run holds the lease on the warehouse."""

    exit_code = 5


class SnapshotError(RegestaError):
    """A snapshot is missing, damaged or fails its verification."""

    exit_code = 6


class ModelError(RegestaError):
    """A language model's endpoint does not answer, or the budget for it is used up."""

    exit_code = 8


class StorageError(RegestaError):
    """The disk is full, or a file of the warehouse is damaged."""

    exit_code = 9
