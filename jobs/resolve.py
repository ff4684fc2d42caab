"""spark-submit jobs/resolve.py --conf CONF: mentions to entities."""

from regesta.cli.job import run_job

if __name__ == "__main__":
    run_job("resolve")
