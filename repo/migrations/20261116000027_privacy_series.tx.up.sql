-- A series of all tokens reads the flows of an hour together: they are neighbours in
-- the table, while those of a token are each on a page of their own.

CREATE INDEX privacy_bucket_flows_start ON privacy_bucket_flows (chain, width, start, token);
