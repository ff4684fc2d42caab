"""The as-of tables in SQL: in Spark over a warehouse, in DuckDB over a published snapshot."""
