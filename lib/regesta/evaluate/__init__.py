"""What a warehouse published beside a truth that is known: measures, tables, the worst errors."""
