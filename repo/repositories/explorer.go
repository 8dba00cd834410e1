package repositories

import (
	"astrolabe/domain/explorer"
	"astrolabe/repo"
	"astrolabe/repo/events"
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

		Events:       events.NewEvents(db),
		Certificates: events.NewCertificates(db),

		Tokens:    db,
		Transfers: db,
		Controls:  events.NewEvents(db),
		Censuses:  db,
		Pools:     db,

		Addresses:     db,
		Labels:        db,
		Verifications: db,
		BridgeEvents:  events.NewEvents(db),
		Search:        db,
	}
}
