-- Whether the chain of an index is one that the program simulates itself; NULL in
-- indexes that began before this column. checkpoint.read
ALTER TABLE index_checkpoints ADD COLUMN simulated boolean;
