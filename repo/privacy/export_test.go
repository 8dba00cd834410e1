package privacy

import "astrolabe/repo"

// Statements are exported for the test of their plans, with lists of 25 of
// SN_MAIN.
var Statements = map[string]string{
	"events":         repo.Text(allEvents, 1, 26),
	"variant":        repo.Text(variantEvents, 1, 26),
	"commitments":    repo.Text(commitments, 1, 26),
	"nullifiers":     repo.Text(nullifiers, 1, 26),
	"fee evidence":   repo.Text(feeEvidenceOf, 1),
	"pools":          repo.Text(poolsOf, 1),
	"standing":       repo.Text(ledgerOf, 1),
	"counts":         repo.Text(foldedCounts, 1),
	"above":          repo.Text(aboveCounts, 1, 20_001),
	"newest":         repo.Text(newestEvent, 1),
	"newest decoded": repo.Text(newestDecoded, 1, 20_001),
}
