package explorer

import (
	"cmp"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/bridge"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/privacy"
	"astrolabe/domain/prove"
	"astrolabe/domain/search"
	"astrolabe/domain/token"
	"astrolabe/domain/transaction"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/transparency"
)

// Services are the services of the facades.
type Services struct {
	// Cursors write and read the cursors of every list.
	Cursors *domain.Cursors
	// Statuses reads head, finality and indexing status of chains.
	Statuses *chain.Statuses
	// Cache caches facts of finalized blocks while the process listens for
	// changes.
	Cache *chain.Cache
	// Blocks reads blocks.
	Blocks *chain.Blocks
	// Transactions reads transactions.
	Transactions *chain.Transactions
	// Details reads a transaction with its calls, events, transfers and
	// messages.
	Details *transaction.Details
	// Events reads and searches events.
	Events *event.Events
	// Messages reads cross-layer messages.
	Messages *chain.Messages
	// Contracts reads contract metadata.
	Contracts *chain.Contracts
	// Classes reads classes.
	Classes *chain.Classes
	// Compiled reads compiled class ABIs.
	Compiled *chain.CompiledClasses
	// Verifications reads verification records.
	Verifications *verify.Records
	// VerificationJobs creates, reads and moves verification jobs.
	VerificationJobs *verify.Jobs
	// VerificationLog reads the transparency log of receipts.
	VerificationLog *transparency.Log
	// VerificationReceipts reads receipts of verifications and the keys that sign
	// them.
	VerificationReceipts *verify.Receipts
	// Proofs relays transactions to a prover; nil where that is not enabled.
	Proofs *prove.Relay
	// Bridges reads bridge signals.
	Bridges *bridge.Signals
	// Transfers reads token transfers.
	Transfers *token.Transfers
	// Tokens reads tokens and their summaries.
	Tokens *token.Tokens
	// Controls reads the controls over tokens.
	Controls *token.ControlsReader
	// Pools reads liquidity pools.
	Pools *token.Pools
	// States read the state of contracts from nodes.
	States *chain.States
	// Quantities reads supplies and balances from upstream nodes.
	Quantities *token.Quantities
	// Censuses reads holder censuses.
	Censuses *token.Censuses
	// Wallets reads token balances of addresses at one block.
	Wallets *address.Wallets
	// Search finds blocks, transactions, addresses, tokens and labels.
	Search *search.Search
	// Addresses reads activity, assets and summaries of addresses.
	Addresses *address.Addresses
	// Labels reads and manages labels.
	Labels *address.Labels
	// PrivacyEvents reads the events and notes of privacy pools.
	PrivacyEvents *privacy.Events
	// PrivacyStatuses reads the status of privacy pools.
	PrivacyStatuses *privacy.Statuses
	// PrivacyPrepared reads the flow ledger of privacy pools and its metrics.
	PrivacyPrepared *privacy.Prepared
}

// Options are the dependencies and settings of the services.
type Options struct {
	Stores  Stores
	Cursors *domain.Cursors
	// Freshness is how old a chain's status may be when it is answered.
	Freshness time.Duration
	// Nodes are the upstream nodes by chain. Reads of contract state are
	// unavailable on chains without one.
	Nodes map[domain.Chain]chain.Node
	// Cache remembers facts of final blocks; nil means one of
	// chain.DefaultCacheWeight.
	Cache *chain.Cache
	// ScreeningTop is the number of holders in a screening; zero means
	// token.ScreeningTop.
	ScreeningTop int
	// Now is the clock by which the flow ledger is judged and verification jobs
	// are timed; nil means time.Now.
	Now func() time.Time
}

// clock returns the clock of the services.
func (o *Options) clock() func() time.Time {
	if o.Now != nil {
		return o.Now
	}
	return time.Now
}

// New makes the services.
func New(o Options) *Services {
	stores := o.Stores
	s := &Services{
		Cursors:  o.Cursors,
		Statuses: chain.NewStatuses(stores.Heads, o.Freshness),
		Cache:    o.Cache,
		Classes:  chain.NewClasses(stores.Classes),
		Compiled: chain.NewCompiledClasses(stores.ABIs),
		Labels:   address.NewLabels(stores.Labels, time.Now),
	}
	if s.Cache == nil {
		s.Cache = chain.NewCache(chain.DefaultCacheWeight)
	}
	compiled := s.Compiled
	implementations := chain.NewImplementations(stores.Implementations, compiled)
	s.Blocks = chain.NewBlocks(stores.Blocks, stores.Forks, s.Statuses, s.Cache)
	s.Transactions = chain.NewTransactions(stores.Transactions, s.Blocks, compiled, implementations, s.Statuses, s.Cache)
	s.Contracts = chain.NewContracts(stores.Contracts, implementations, s.Statuses)
	s.Verifications = verify.NewRecords(stores.Verifications, s.Contracts, s.Statuses, s.Cache)
	s.Events = event.NewEvents(stores.Events, stores.Certificates, event.Services{
		Classes: compiled, Implementations: implementations, Verified: s.Verifications, Statuses: s.Statuses,
	}, o.Freshness)
	s.Messages = chain.NewMessages(stores.Messages, s.Statuses)
	s.VerificationJobs = verify.NewJobs(stores.VerificationJobs, s.Classes, s.Statuses, o.clock())
	s.VerificationLog = transparency.NewLog(stores.VerificationLog)
	s.VerificationReceipts = verify.NewReceipts(stores.VerificationReceipts, s.VerificationJobs)
	s.Bridges = bridge.NewSignals(stores.BridgeEvents, stores.Messages, compiled, s.Statuses)
	s.Transfers = token.NewTransfers(stores.Transfers, stores.Untyped, s.Statuses)
	s.Tokens = token.NewTokens(stores.Tokens, stores.Summaries, stores.Untyped, s.Statuses)
	s.Censuses = token.NewCensuses(stores.Censuses, cmp.Or(o.ScreeningTop, token.ScreeningTop), time.Now)
	s.Controls = token.NewControlsReader(stores.Controls, s.Contracts, compiled, implementations, s.Statuses)
	s.Pools = token.NewPools(stores.Pools, s.Contracts, s.Statuses)
	s.States = chain.NewStates(o.Nodes, stores.FinalizedBlocks, s.Statuses)
	s.Quantities = token.NewQuantities(s.States)
	s.Addresses = address.NewAddresses(stores.Addresses, stores.Untyped, implementations, s.Statuses, s.Labels)
	s.Wallets = address.NewWallets(s.Addresses, s.Blocks, s.Tokens, s.Quantities)
	s.Details = transaction.NewDetails(transaction.Services{
		Store: stores.TransactionParts, Statuses: s.Statuses, Blocks: s.Blocks, Transactions: s.Transactions, Events: s.Events,
		Transfers: s.Transfers, Cache: s.Cache, Nodes: o.Nodes,
	})
	s.PrivacyEvents = privacy.NewEvents(stores.PrivacyEvents, s.Events, s.Statuses)
	s.PrivacyStatuses = privacy.NewStatuses(stores.PrivacyStatus)
	s.PrivacyPrepared = privacy.NewPrepared(stores.PrivacyPrepared, o.clock())
	s.Search = search.New(stores.Search, s.Blocks, s.Messages, s.Labels, implementations, s.Statuses)
	return s
}
