package explorer

import (
	"astrolabe/domain/address"
	"astrolabe/domain/bridge"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/privacy"
	"astrolabe/domain/search"
	"astrolabe/domain/token"
	"astrolabe/domain/transaction"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/transparency"
)

// Stores are the stores of the services. A field may be nil if the services
// that need it are not used.
type Stores struct {
	Heads           chain.Heads
	Blocks          chain.BlockStore
	Forks           chain.ForkStore
	FinalizedBlocks chain.FinalizedBlocks
	Transactions    chain.TransactionStore
	// TransactionParts are the events, transfers and messages of one
	// transaction, read at once.
	TransactionParts transaction.Store
	Messages         chain.MessageStore
	Contracts        chain.ContractStore
	Classes          chain.ClassIndex
	ABIs             chain.ClassStore
	Implementations  chain.ImplementationStore

	Events       event.Store
	Certificates event.CertificateStore

	Tokens    token.Store
	Summaries token.SummaryStore
	Transfers token.TransferStore
	Untyped   token.UntypedStore
	Controls  token.ControlStore
	Censuses  token.CensusStore
	Pools     token.PoolStore

	Addresses            address.Store
	Labels               address.Notes
	Verifications        verify.Store
	VerificationJobs     verify.JobStore
	VerificationReceipts verify.ReceiptStore
	VerificationLog      transparency.Store
	BridgeEvents         bridge.EventStore
	Search               search.Store

	PrivacyEvents   privacy.EventStore
	PrivacyStatus   privacy.StatusStore
	PrivacyPrepared privacy.PreparedStore
}
