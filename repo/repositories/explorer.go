package repositories

import (
	"astrolabe/domain/explorer"
	"astrolabe/repo"
	"astrolabe/repo/addresses"
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

		Tokens:    db,
		Transfers: db,
		Controls:  db,
		Censuses:  db,
		Pools:     db,

		Addresses:     addresses.NewAddresses(db),
		Labels:        addresses.NewLabels(db),
		Verifications: db,
		BridgeEvents:  db,
		Search:        addresses.NewSearch(db),
	}
}
