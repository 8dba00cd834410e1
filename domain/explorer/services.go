package explorer

import (
	"cmp"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/bridge"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/search"
	"astrolabe/domain/token"
	"astrolabe/domain/transaction"
	"astrolabe/domain/verify"
)

// Services are everything that a facade can ask.
type Services struct {
	// Cursors write and read the cursors of every list.
	Cursors *domain.Cursors
	// Statuses tell how chains and their indexes stand.
	Statuses *chain.Statuses
	// Cache remembers facts of final blocks, while somebody listens for it.
	Cache *chain.Cache
	// Blocks tell which blocks there are.
	Blocks *chain.Blocks
	// Transactions tell which transactions there are.
	Transactions *chain.Transactions
	// Details tell everything of a transaction at once.
	Details *transaction.Details
	// Events tell what contracts have emitted.
	Events *event.Events
	// Messages tell what was said between the layers.
	Messages *chain.Messages
	// Contracts tell what is known of contracts.
	Contracts *chain.Contracts
	// Classes tell what is known of classes.
	Classes *chain.Classes
	// Compiled tells what the ABIs of classes say.
	Compiled *chain.CompiledClasses
	// Verifications tell which classes were verified.
	Verifications *verify.Records
	// Bridges tell of deposits and withdrawals.
	Bridges *bridge.Signals
	// Transfers tell which tokens moved.
	Transfers *token.Transfers
	// Tokens tell what is known of tokens.
	Tokens *token.Tokens
	// Controls tell who controls tokens.
	Controls *token.ControlsReader
	// Pools tell where tokens are traded.
	Pools *token.Pools
	// States read the state of contracts from nodes.
	States *chain.States
	// Quantities ask tokens for supplies and balances.
	Quantities *token.Quantities
	// Censuses tell who holds tokens.
	Censuses *token.Censuses
	// Wallets tell what addresses hold.
	Wallets *address.Wallets
	// Search finds what texts name.
	Search *search.Search
	// Addresses tell what addresses did, may hold and are.
	Addresses *address.Addresses
	// Labels tell what addresses are called.
	Labels *address.Labels
}

// Options are what the services stand on.
type Options struct {
	Stores  Stores
	Cursors *domain.Cursors
	// Freshness is how old a chain's status may be when it is answered.
	Freshness time.Duration
	// Nodes are the nodes of the chains that have some. What only a node can
	// tell is unavailable on the others.
	Nodes map[domain.Chain]chain.Node
	// Cache remembers facts of final blocks; nil means one of
	// chain.DefaultCacheWeight.
	Cache *chain.Cache
	// ScreeningTop is how many holders a screening shows; zero means
	// token.ScreeningTop.
	ScreeningTop int
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
	s.Blocks = chain.NewBlocks(stores.Blocks, stores.Forks, s.Statuses, s.Cache)
	s.Transactions = chain.NewTransactions(stores.Transactions, s.Blocks, compiled, s.Statuses, s.Cache)
	s.Events = event.NewEvents(stores.Events, stores.Certificates, compiled, s.Statuses, o.Freshness)
	s.Messages = chain.NewMessages(stores.Messages, s.Statuses)
	s.Contracts = chain.NewContracts(stores.Contracts, s.Statuses)
	s.Verifications = verify.NewRecords(stores.Verifications, s.Contracts)
	s.Bridges = bridge.NewSignals(stores.BridgeEvents, stores.Messages, compiled, s.Statuses)
	s.Transfers = token.NewTransfers(stores.Transfers, s.Statuses)
	s.Tokens = token.NewTokens(stores.Tokens, stores.Summaries, s.Statuses)
	s.Censuses = token.NewCensuses(stores.Censuses, cmp.Or(o.ScreeningTop, token.ScreeningTop), time.Now)
	s.Controls = token.NewControlsReader(stores.Controls, s.Contracts, compiled, s.Statuses)
	s.Pools = token.NewPools(stores.Pools, s.Contracts, s.Statuses)
	s.States = chain.NewStates(o.Nodes, stores.FinalizedBlocks, s.Statuses)
	s.Quantities = token.NewQuantities(s.States)
	s.Addresses = address.NewAddresses(stores.Addresses, s.Statuses, s.Labels)
	s.Wallets = address.NewWallets(s.Addresses, s.Tokens, s.Quantities)
	s.Details = transaction.NewDetails(transaction.Services{
		Store: stores.TransactionParts, Statuses: s.Statuses, Blocks: s.Blocks, Transactions: s.Transactions, Events: s.Events,
		Transfers: s.Transfers, Cache: s.Cache, Nodes: o.Nodes,
	})
	s.Search = search.New(stores.Search, s.Blocks, s.Messages, s.Labels, s.Statuses)
	return s
}
