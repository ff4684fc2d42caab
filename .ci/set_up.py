"""The two steps of setting up: `install` (needs only Python's own library) and `resolve`."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import types
import venv
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]

# The package without its __init__.py, which may import what is not installed yet.
sys.modules["regesta"] = types.ModuleType("regesta")
sys.modules["regesta"].__path__ = [str(ROOT / "lib" / "regesta")]

from regesta.errors import RegestaError, SetupError  # noqa: E402
from regesta.java import LOCAL_FILES, JvmParts, check_java, jar, jars  # noqa: E402

if TYPE_CHECKING:
    from regesta.embed.encoder import Space

VENV = ROOT / ".venv"
STAMP = VENV / "set-up-for"
EXTRAS = "build,dev"


def say(line: str) -> None:
    """Show one line of progress at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def fingerprint() -> str:
    """Return what the environment depends on: the dependencies, the Python and the place."""
    parts = ((ROOT / "pyproject.toml").read_text("utf-8"), sys.version, str(ROOT))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_installed() -> bool:
    """Return whether .venv stands and was made for this pyproject.toml."""
    is_whole = STAMP.exists() and (VENV / "bin" / "python").exists()
    return is_whole and STAMP.read_text("utf-8") == fingerprint()


def install() -> None:
    """Check Java, then make .venv with Regesta and its extras unless it is there.

    Raises:
        SetupError: Java or the venv module is missing, or pip failed; says what to do.
    """
    version = check_java()
    if is_installed():
        return
    say(f"Java {version} found. Installing Python packages into .venv (minutes, once) ...")
    try:
        venv.create(VENV, clear=True, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(
            f"{sys.executable} could not make .venv ({error}): install the venv module of this "
            "Python (python3-venv on Debian and Ubuntu) and see that the folder is writable."
        ) from error
    run_pip()
    STAMP.write_text(fingerprint(), "utf-8")


def run_pip() -> None:
    """Install Regesta as an editable package, with its extras.

    Raises:
        SetupError: pip failed; its own last words are in the message.
    """
    command = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--editable"]
    answer = subprocess.run(
        [*command, f".[{EXTRAS}]"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        lines = [line.strip() for line in answer.stderr.splitlines()]
        complaints = [line for line in lines if line.startswith("ERROR")]
        reason = (complaints or lines or ["it gave no reason"])[-1]
        raise SetupError(
            f"pip could not install the Python packages ({reason}): check the network, or name a "
            "package index in PIP_INDEX_URL."
        )


def resolve() -> None:
    """Resolve the jars of Delta and GraphFrames, and the model, unless they are in the cache.

    Raises:
        SetupError: a part can't be resolved; the message names the setting and the remedy.
    """
    from regesta.config import load_settings  # noqa: PLC0415

    settings = load_settings(ROOT / "conf")
    parts = settings.spark.jvm_parts()
    if not any(parts.folder.glob("*/*.jar")):
        say(f"Resolving the JVM parts into {parts.folder} (90 MB, once) ...")
    jars(parts)
    jar(LOCAL_FILES, parts)
    make_model(settings.embeddings.space(), parts)
    say("Set up: Java, .venv, the JVM parts and the model are there.")


def make_model(space: Space | None, parts: JvmParts) -> None:
    """Resolve or make the local model that embeds unless it is in the user's cache."""
    from regesta.embed.files import models_folder  # noqa: PLC0415
    from regesta.embed.load import LOCAL, local_folder  # noqa: PLC0415

    if space and space.model in LOCAL:
        if not (models_folder() / space.model).exists():
            say(f"Resolving the model {space.model} into {models_folder()} (a minute, once) ...")
        local_folder(space, parts)


def main(step: str) -> int:
    """Run one step; a mistake becomes one sentence and an exit code."""
    try:
        {"install": install, "resolve": resolve}[step]()
    except RegestaError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
