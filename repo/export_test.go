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

// ChainStatements are exported for the test that looks at their plans, with the
// chain in place and lists of 25.
var ChainStatements = map[string]string{
	"block.by_number":        fmt.Sprintf(blocksByNumber, 1),
	"block.by_hash":          fmt.Sprintf(blocksByHash, 1),
	"block.list":             fmt.Sprintf(blocksBetween, 1, 26, "DESC"),
	"block.list from oldest": fmt.Sprintf(blocksBetween, 1, 26, "ASC"),
	"block.before":           fmt.Sprintf(blocksAtTime, 1, notYounger, shownBlock),
	"block.after":            fmt.Sprintf(blocksAtTime, 1, notOlder, shownBlock),
	"transaction.by_hash":    fmt.Sprintf(transactionsByHash, 1),
	"transaction.of_blocks":  fmt.Sprintf(transactionsOfBlocks, 1, 26),
	"transaction.outline":    fmt.Sprintf(outlinesByHash, 1),
	"function.names":         fmt.Sprintf(functionNames, 1),
}

// LatestBlockStatement is exported for the same test.
var LatestBlockStatement = fmt.Sprintf(latestBlock, 1)
