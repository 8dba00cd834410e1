package addresses

import "astrolabe/repo"

// Statements are the statements for SN_MAIN, for the tests of their plans.
var Statements = map[string]string{
	"activity":         repo.Text(activityNewest, 1, 26),
	"activity on":      repo.Text(activityOldest, 1, 26),
	"transactions":     repo.Text(transactionsNewest, 1, 26),
	"assets":           repo.Text(assetsOfOwners, 1, 26),
	"summaries":        repo.Text(summariesOfAddresses, 1, 1001),
	"profiles":         repo.Text(profilesOfAddresses, 1, 1),
	"search.felt":      repo.Text(searchFelt, 1),
	"search.addresses": repo.Text(searchAddresses, 1),
	"search.tokens":    repo.Text(searchTokens, 1, 10),
}
