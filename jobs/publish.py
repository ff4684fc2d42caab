"""spark-submit jobs/publish.py --conf CONF: tables to a snapshot; ends the batch."""

from regesta.cli.job import run_job

if __name__ == "__main__":
    run_job("publish")
