-- Trace-certified partners: the keys of these workspaces may call the trace methods.
ALTER TABLE workspaces ADD COLUMN trace_certified boolean NOT NULL DEFAULT false;
