"""spark-submit jobs/communities.py --conf CONF: facts to communities."""

from regesta.cli.job import run_job

if __name__ == "__main__":
    run_job("communities")
