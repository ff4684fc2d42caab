"""Independent Spark jobs side by side, where planning them one by one would leave cores idle."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark import inheritable_thread_target
from pyspark.sql import SparkSession


def together(*calls: Callable[[], Any]) -> list[Any]:
    """Call all at once and return their results in order.

    Their jobs keep this thread's description. None may read what another one writes. All have ended
    when this returns or raises; the error is that of the first call that failed, by order.
    """
    inherit = inheritable_thread_target(SparkSession.active())
    with ThreadPoolExecutor(max_workers=len(calls)) as pool:
        running = [pool.submit(inherit(call)) for call in calls]
    return [each.result() for each in running]
