"""Without a language model nothing of it is needed."""

from __future__ import annotations

import subprocess
import sys


def test_the_client_is_not_imported_where_it_is_not_used():
    code = "import sys, regesta.pipeline, regesta.cli.main; assert 'openai' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
