package explorer

import (
	"cmp"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/bridge"
	"astrolabe/domain/chain"
	"astrolabe/domain/detail"
	"astrolabe/domain/event"
	"astrolabe/domain/search"
	"astrolabe/domain/token"
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
	Details *detail.Transactions
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
	Wallets *token.Wallets
	// Search finds what texts name.
	Search *search.Search
	// Addresses tell what addresses did, may hold and are.
	Addresses *address.Addresses
	// Labels tell what addresses are called.
	Labels *address.Labels
}

// Store is everything that the services read.
type Store interface {
	chain.Heads
	chain.ClassStore
	chain.BlockStore
	chain.TransactionStore
	chain.MessageStore
	chain.ContractStore
	chain.ClassIndex
	chain.FinalizedBlocks
	event.Store
	token.Store
	token.TransferStore
	token.ControlStore
	token.CensusStore
	token.PoolStore
	verify.Store
	bridge.Store
	search.Store
	address.Store
	address.Notes
	detail.Store
}

// Options are what the services stand on.
type Options struct {
	Store   Store
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
	s := &Services{
		Cursors:  o.Cursors,
		Statuses: chain.NewStatuses(o.Store, o.Freshness),
		Cache:    o.Cache,
		Classes:  chain.NewClasses(o.Store),
		Compiled: chain.NewCompiledClasses(o.Store),
		Labels:   address.NewLabels(o.Store, time.Now),
	}
	if s.Cache == nil {
		s.Cache = chain.NewCache(chain.DefaultCacheWeight)
	}
	compiled := s.Compiled
	s.Blocks = chain.NewBlocks(o.Store, s.Statuses, s.Cache)
	s.Transactions = chain.NewTransactions(o.Store, s.Blocks, compiled, s.Statuses, s.Cache)
	s.Events = event.NewEvents(o.Store, compiled, s.Statuses, o.Freshness)
	s.Messages = chain.NewMessages(o.Store, s.Statuses)
	s.Contracts = chain.NewContracts(o.Store, s.Statuses)
	s.Verifications = verify.NewRecords(o.Store, s.Contracts)
	s.Bridges = bridge.NewSignals(o.Store, compiled, s.Statuses)
	s.Transfers = token.NewTransfers(o.Store, s.Statuses)
	s.Tokens = token.NewTokens(o.Store, s.Statuses)
	s.Censuses = token.NewCensuses(o.Store, cmp.Or(o.ScreeningTop, token.ScreeningTop), time.Now)
	s.Controls = token.NewControlsReader(o.Store, s.Contracts, compiled, s.Statuses)
	s.Pools = token.NewPools(o.Store, s.Contracts, s.Statuses)
	s.States = chain.NewStates(o.Nodes, o.Store, s.Statuses)
	s.Quantities = token.NewQuantities(s.States)
	s.Addresses = address.NewAddresses(o.Store, s.Statuses, s.Labels)
	s.Wallets = token.NewWallets(candidates{s.Addresses}, s.Tokens, s.Quantities)
	s.Details = detail.NewTransactions(detail.Services{
		Store: o.Store, Statuses: s.Statuses, Blocks: s.Blocks, Transactions: s.Transactions, Events: s.Events,
		Transfers: s.Transfers, Cache: s.Cache, Nodes: o.Nodes,
	})
	s.Search = search.New(o.Store, s.Blocks, s.Messages, s.Labels, s.Statuses)
	return s
}
