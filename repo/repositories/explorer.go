package repositories

import (
	"astrolabe/domain/explorer"
	"astrolabe/repo"
	"astrolabe/repo/addresses"
	"astrolabe/repo/events"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/privacy"
	"astrolabe/repo/tokens"
	"astrolabe/repo/verify"
)

// Explorer returns the stores of all services that the facades use.
func Explorer(db *repo.DB) explorer.Stores {
	return explorer.Stores{
		Heads:            onchain.NewHeads(db),
		Blocks:           onchain.NewBlocks(db),
		Forks:            onchain.NewForks(db),
		FinalizedBlocks:  onchain.NewBlocks(db),
		Transactions:     onchain.NewTransactions(db),
		TransactionParts: onchain.NewDetails(db),
		Messages:         onchain.NewMessages(db),
		Contracts:        onchain.NewContracts(db),
		Classes:          onchain.NewClasses(db),
		ABIs:             index.NewArchive(db),
		Implementations:  onchain.NewImplementations(db),

		Events:       events.NewEvents(db),
		Certificates: events.NewCertificates(db),

		Tokens:    tokens.NewTokens(db),
		Summaries: tokens.NewSummaries(db),
		Transfers: tokens.NewTransfers(db),
		Untyped:   tokens.NewTransfers(db),
		Controls:  events.NewEvents(db),
		Censuses:  tokens.NewCensus(db),
		Pools:     tokens.NewPools(db),

		Addresses:            addresses.NewAddresses(db),
		Labels:               addresses.NewLabels(db),
		Verifications:        onchain.NewVerifications(db),
		VerificationJobs:     verify.NewJobs(db),
		VerificationReceipts: verify.NewReceipts(db),
		VerificationLog:      verify.NewLog(db),
		BridgeEvents:         events.NewEvents(db),
		Search:               addresses.NewSearch(db),

		PrivacyEvents:   privacy.NewEvents(db),
		PrivacyStatus:   privacy.NewStatus(db),
		PrivacyPrepared: privacy.NewPrepared(db),
	}
}
