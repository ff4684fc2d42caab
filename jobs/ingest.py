"""spark-submit jobs/ingest.py --conf CONF: begin a batch with what is new in the archives."""

from regesta.cli.job import run_job

if __name__ == "__main__":
    run_job("ingest")
