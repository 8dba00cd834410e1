package repositories

import (
	"astrolabe/domain/explorer"
	"astrolabe/repo"
	"astrolabe/repo/onchain"
)

// Explorer returns the stores of everything that a facade can ask.
func Explorer(db *repo.DB) explorer.Stores {
	return explorer.Stores{
		Heads:            onchain.NewHeads(db),
		Blocks:           onchain.NewBlocks(db),
		Forks:            onchain.NewForks(db),
		FinalizedBlocks:  onchain.NewBlocks(db),
		Transactions:     onchain.NewTransactions(db),
		TransactionParts: db,
		Messages:         onchain.NewMessages(db),
		Contracts:        onchain.NewContracts(db),
		Classes:          onchain.NewClasses(db),
		ABIs:             db,

		Events:       db,
		Certificates: db,

		Tokens:    db,
		Transfers: db,
		Controls:  db,
		Censuses:  db,
		Pools:     db,

		Addresses:     db,
		Labels:        db,
		Verifications: onchain.NewVerifications(db),
		BridgeEvents:  db,
		Search:        db,
	}
}
