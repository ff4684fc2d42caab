"""What must hold of the tables before a snapshot is switched to: audits that find nothing."""
