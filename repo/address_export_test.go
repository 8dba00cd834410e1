package repo

import "fmt"

// AddressStatements are the statements of addresses on SN_MAIN, for the test
// that looks at their plans.
func AddressStatements() map[string]string {
	return map[string]string{
		"activity":     fmt.Sprintf(activityStatement, 1, 26),
		"transfers":    fmt.Sprintf(activityTransfers, 1, 26, anyTransfer),
		"activity on":  oldestFirst.Replace(fmt.Sprintf(activityStatement, 1, 26)),
		"transfers on": oldestFirst.Replace(fmt.Sprintf(activityTransfers, 1, 26, anyTransfer)),
		"transactions": fmt.Sprintf(addressTransactions, 1, 26),
		"assets":       fmt.Sprintf(addressAssets, 1, 26, evidenceMost),
		"summaries":    fmt.Sprintf(addressSummaries, 1, 1001),
		"profiles":     fmt.Sprintf(addressProfiles, 1, 1),
	}
}
