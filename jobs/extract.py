"""spark-submit jobs/extract.py --conf CONF: episodes to mentions and statements."""

from regesta.cli.job import run_job

if __name__ == "__main__":
    run_job("extract")
