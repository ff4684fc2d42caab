"""spark-submit jobs/timeline.py --conf CONF: statements to facts with intervals."""

from regesta.cli.job import run_job

if __name__ == "__main__":
    run_job("timeline")
