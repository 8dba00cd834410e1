package repo

// Statements that are exported for the test that looks at their plans.
var (
	EventsBySelectorStatement = eventsBySelectorStatement
)
