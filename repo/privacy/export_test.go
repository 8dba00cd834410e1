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

// PreparedStatements are the same for the reads of prepared rows, with lists of
// 24 points and 100 tokens.
var PreparedStatements = map[string]string{
	"ledger":        repo.Text(ledgerView, 1),
	"assets":        repo.Text(everyAsset, 1),
	"points":        repo.Text(pointsOf, 1, 26),
	"point assets":  repo.Text(pointAssets, 1),
	"buckets":       repo.Text(bucketsOf, 1),
	"newest tokens": repo.Text(seriesTokens, 1, 101),
	"token":         repo.Text(seriesToken, 1),
	"fee tokens":    repo.Text(feesIn, 1),
	"flows":         repo.Text(flowsOf, 1),
	"all flows":     repo.Text(flowsTogether, 1),
	"fees":          repo.Text(feesOf, 1),
	"newest assets": repo.Text(newestAssets, 1, 101),
	"undescribed":   repo.Text(undescribed, 1),
}
