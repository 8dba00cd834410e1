package repositories

import (
	"astrolabe/domain/explorer"
	"astrolabe/repo"
	"astrolabe/repo/tokens"
)

// Explorer returns the stores of everything that a facade can ask.
func Explorer(db *repo.DB) explorer.Stores {
	return explorer.Stores{
		Heads:            db,
		Blocks:           db,
		Forks:            db,
		FinalizedBlocks:  db,
		Transactions:     db,
		TransactionParts: db,
		Messages:         db,
		Contracts:        db,
		Classes:          db,
		ABIs:             db,

		Events:       db,
		Certificates: db,

		Tokens:    tokens.NewTokens(db),
		Summaries: tokens.NewSummaries(db),
		Transfers: tokens.NewTransfers(db),
		Controls:  db,
		Censuses:  tokens.NewCensus(db),
		Pools:     tokens.NewPools(db),

		Addresses:     db,
		Labels:        db,
		Verifications: db,
		BridgeEvents:  db,
		Search:        db,
	}
}
