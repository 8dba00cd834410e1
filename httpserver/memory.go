package httpserver

// When a process that answers requests collects garbage. Requests allocate
// short-lived garbage beside a few megabytes of live data: collecting after every
// few hundred of them costs throughput and saves little memory, so a small heap
// may grow to five times its size. Near SoftMemory it is collected as often as is
// needed to stay below, even while many large answers are built.
const (
	GCPercent  = 400
	SoftMemory = 320 << 20
)
