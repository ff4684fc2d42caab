"""What a fresh machine is told: one sentence with the remedy, and never a traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from regesta.errors import SetupError
from regesta.java import JvmParts, check_java, jars

ROOT = Path(__file__).resolve().parents[2]
NEEDED = (".ci/set_up", ".ci/set_up.py", "pyproject.toml", "lib/regesta/java.py")


@pytest.fixture
def checkout(tmp_path):
    """A checkout with only what setting up reads, and no .venv."""
    for name in (*NEEDED, "lib/regesta/errors.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def machine(folder: Path, *, java: str | None = None, python: str | None = None) -> dict[str, str]:
    """Return the environment of a machine whose PATH holds just these two programs."""
    programs = folder / "programs"
    programs.mkdir()
    if java is not None:
        write_program(programs / "java", f"""echo 'openjdk version "{java}"' >&2""")
    if python is not None:
        write_program(programs / "python3", f'exec {python} "$@"')
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
    kept.pop("JAVA_HOME", None)
    kept.pop("PYTHON", None)
    return {**kept, "PATH": str(programs)}


def write_program(path: Path, command: str) -> None:
    path.write_text(f"#!/bin/sh\n{command}\n")
    path.chmod(0o755)


def set_up(checkout: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(checkout / ".ci" / "set_up")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_python(checkout):
    answer = set_up(checkout, machine(checkout, java="17.0.15"))
    assert answer.returncode == 3
    assert answer.stderr.startswith("Regesta needs Python 3.11 or newer")
    assert "make PYTHON=" in answer.stderr


def test_with_an_old_python(checkout):
    environment = machine(checkout, java="17.0.15")
    write_program(checkout / "programs" / "python3", "exit 1")  # what the version check gives
    answer = set_up(checkout, environment)
    assert answer.returncode == 3
    assert answer.stderr.count("\n") == 1
    assert "install Python 3.11" in answer.stderr


def test_without_java_nothing_is_installed(checkout):
    answer = set_up(checkout, machine(checkout, python=sys.executable))
    assert answer.returncode == 3
    assert answer.stderr.count("\n") == 1
    assert "needs Java 17 or newer: none was found; install a JDK 17" in answer.stderr
    assert not (checkout / ".venv").exists()


def test_java_home_that_leads_nowhere(checkout):
    environment = machine(checkout, python=sys.executable, java="17.0.15")
    answer = set_up(checkout, {**environment, "JAVA_HOME": "/nowhere/jdk"})
    assert answer.returncode == 3
    assert "JAVA_HOME is /nowhere/jdk, but /nowhere/jdk/bin/java does not exist" in answer.stderr


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.22", "16-ea"])
def test_with_an_old_java_nothing_is_installed(checkout, version):
    answer = set_up(checkout, machine(checkout, python=sys.executable, java=version))
    assert answer.returncode == 3
    assert answer.stderr.count("\n") == 1
    assert f"is version {version}: install a JDK 17 and name it in JAVA_HOME" in answer.stderr
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("version", ["17", "17.0.15", "21.0.2", "25-ea"])
def test_java_17_and_newer_will_do(tmp_path, monkeypatch, version):
    monkeypatch.setenv("PATH", machine(tmp_path, java=version)["PATH"])
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert check_java() == version


def test_without_a_package_index(checkout):
    environment = machine(checkout, python=sys.executable, java="17.0.15")
    offline = {**environment, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    answer = set_up(checkout, offline)
    assert answer.returncode == 3
    assert answer.stderr.count("\n") == 1
    assert "pip could not install the Python packages (ERROR: " in answer.stderr
    assert "PIP_INDEX_URL" in answer.stderr
    assert "Traceback" not in answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("parts", "setting"),
    [
        ({"delta": "no-such-part"}, "spark.delta"),
        ({"graphframes": ("no-such-part", "nor-this-one")}, "spark.graphframes"),
    ],
)
def test_a_jvm_part_that_cannot_be_resolved(tmp_path, parts, setting):
    keep_a_jar(tmp_path, JvmParts().delta)
    with pytest.raises(SetupError) as failure:
        jars(JvmParts(folder=tmp_path, **parts))
    message = str(failure.value)
    assert "no-such-part: " in message
    assert f"other coordinates in {setting} of conf/base.yaml" in message
    assert "spark.repositories" in message


def test_resolved_parts_are_found_again_without_spark_or_network(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    delta = keep_a_jar(tmp_path, JvmParts().delta)
    second = keep_a_jar(tmp_path, JvmParts().graphframes[1])
    assert jars(JvmParts(folder=tmp_path)) == [delta, second]


def keep_a_jar(folder: Path, coordinate: str) -> Path:
    jar = folder / coordinate.replace(":", "_") / "part.jar"
    jar.parent.mkdir()
    jar.touch()
    return jar
