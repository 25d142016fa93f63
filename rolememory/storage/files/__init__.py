"""Files behind the storage port: durable writes, locks, watching, backups."""
