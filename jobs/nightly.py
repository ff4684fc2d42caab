"""spark-submit jobs/nightly.py --conf CONF: all steps of a batch, in order."""

from regesta.cli.job import run_job
from regesta.model import STEPS

if __name__ == "__main__":
    run_job(*STEPS)
