package repo

import (
	"fmt"

	"astrolabe/domain"
)

// ClaimStatements are exported for the tests that look at their plans.
var ClaimStatements = struct{ Metadata, Supplies, Censuses string }{
	claimMetadata.statement(domain.Mainnet), claimSupplies.statement(domain.Mainnet), claimCensuses.statement(domain.Mainnet),
}

// TransferListStatement is exported for the test that looks at plans.
var TransferListStatement = transferListStatement

// The statements of tokens are exported for the test that looks at plans.
const CountedTokensStatement = countedTokens

// CensusLock is exported for the test that holds it.
const CensusLock = censusLock

// CensusStatements are exported for the test that looks at their plans.
var CensusStatements = struct{ Standings, Holders, Count, Forget, Leftover string }{
	standings, pageOfHolders, countHolders, forgetGenerations, leftoverSnapshot,
}

// SearchStatements are exported for the test that looks at their plans, with the
// chain in place and lists of 25.
var SearchStatements = map[string]string{
	"search.block":           fmt.Sprintf(searchBlock, 1),
	"search.transaction":     fmt.Sprintf(searchTransaction, 1),
	"search.class":           fmt.Sprintf(searchClass, 1),
	"search.addresses":       fmt.Sprintf(searchAddresses, 1),
	"search.token by symbol": fmt.Sprintf(tokensBeginning, 1, "symbol", 10),
	"search.token by name":   fmt.Sprintf(tokensBeginning, 1, "name", 10),
}
