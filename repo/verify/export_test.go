package verify

// The statements of the log, for tests of their plans.
const (
	LogHashes     = logHashes
	LogNewest     = logNewest
	LogCheckpoint = logCheckpoint
)
