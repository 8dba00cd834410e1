package explorer

import (
	"time"

	"astrolabe/domain"
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
	// Events tell what contracts have emitted.
	Events *event.Events
	// Cache remembers facts of final blocks, while somebody listens for it.
	Cache *chain.Cache
	// Blocks tell which blocks there are.
	Blocks *chain.Blocks
	// Transactions tell which transactions there are.
	Transactions *chain.Transactions
	// Details tell everything of a transaction at once.
	Details *detail.Transactions
	// Search finds what texts name.
	Search *search.Search
	// Messages tell what was said between the layers.
	Messages *chain.Messages
	// Contracts tell what is known of contracts.
	Contracts *chain.Contracts
	// Classes tell what is known of classes.
	Classes *chain.Classes
	// Verifications tell which classes were verified.
	Verifications *verify.Records
	// Transfers tell which tokens moved.
	Transfers *token.Transfers
	// Tokens tell what is known of tokens.
	Tokens *token.Tokens
	// States read the state of contracts from nodes.
	States *chain.States
	// Quantities ask tokens for supplies and balances.
	Quantities *token.Quantities
	// Wallets tell what addresses hold.
	Wallets *token.Wallets
}

// Store is everything that the services read.
type Store interface {
	chain.Heads
	chain.ClassStore
	event.Store
	chain.BlockStore
	chain.TransactionStore
	search.Store
	chain.MessageStore
	chain.ContractStore
	chain.ClassIndex
	verify.Store
	chain.FinalizedBlocks
	token.Store
	token.TransferStore
	token.ReceivedStore
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
}

// New makes the services.
func New(o Options) *Services {
	statuses := chain.NewStatuses(o.Store, o.Freshness)
	compiled := chain.NewCompiledClasses(o.Store)
	contracts := chain.NewContracts(o.Store, statuses)
	tokens := token.NewTokens(o.Store, statuses)
	states := chain.NewStates(o.Nodes, o.Store, statuses)
	quantities := token.NewQuantities(states)
	cache := chain.NewCache(chain.DefaultCacheWeight)
	blocks := chain.NewBlocks(o.Store, statuses, cache)
	s := &Services{
		Cursors:       o.Cursors,
		Statuses:      statuses,
		Events:        event.NewEvents(o.Store, compiled),
		Cache:         cache,
		Blocks:        blocks,
		Transactions:  chain.NewTransactions(o.Store, blocks, compiled, statuses, cache),
		Search:        search.New(o.Store, blocks, statuses),
		Messages:      chain.NewMessages(o.Store, statuses),
		Contracts:     contracts,
		Classes:       chain.NewClasses(o.Store),
		Verifications: verify.NewRecords(o.Store, contracts),
		Transfers:     token.NewTransfers(o.Store, statuses),
		Tokens:        tokens,
		States:        states,
		Quantities:    quantities,
		Wallets:       token.NewWallets(token.NewReceived(o.Store, statuses), tokens, quantities),
	}
	s.Details = detail.NewTransactions(detail.Services{
		Statuses: statuses, Blocks: blocks, Transactions: s.Transactions, Events: s.Events,
		Transfers: s.Transfers, Messages: s.Messages, Cache: cache, Nodes: o.Nodes,
	})
	return s
}
