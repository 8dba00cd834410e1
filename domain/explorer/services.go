package explorer

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/detail"
	"astrolabe/domain/event"
	"astrolabe/domain/search"
	"astrolabe/domain/token"
)

// Services are everything that a facade can ask.
type Services struct {
	// Cursors write and read the cursors of every list.
	Cursors *domain.Cursors
	// Statuses tell how chains and their indexes stand.
	Statuses *chain.Statuses
	// Events tell what contracts have emitted.
	Events *event.Events
	// Transfers tell which tokens moved.
	Transfers *token.Transfers
	// Messages tell what was said between the layers.
	Messages *chain.Messages
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
}

// Store is everything that the services read.
type Store interface {
	chain.Heads
	chain.ClassStore
	event.Store
	token.TransferStore
	chain.MessageStore
	chain.BlockStore
	chain.TransactionStore
	search.Store
}

// Options are what the services stand on.
type Options struct {
	Store   Store
	Cursors *domain.Cursors
	// Freshness is how old a chain's status may be when it is answered.
	Freshness time.Duration
	// NodeTransactions tell of transactions that are not indexed; nil: nobody does.
	NodeTransactions chain.NodeTransactions
}

// New makes the services.
func New(o Options) *Services {
	classes := chain.NewCompiledClasses(o.Store)
	s := &Services{
		Cursors:  o.Cursors,
		Statuses: chain.NewStatuses(o.Store, o.Freshness),
		Cache:    chain.NewCache(chain.DefaultCacheWeight),
	}
	s.Events = event.NewEvents(o.Store, classes)
	s.Transfers = token.NewTransfers(o.Store, s.Statuses)
	s.Messages = chain.NewMessages(o.Store, s.Statuses)
	s.Blocks = chain.NewBlocks(o.Store, s.Statuses, s.Cache)
	s.Transactions = chain.NewTransactions(o.Store, s.Blocks, classes, s.Statuses, s.Cache)
	s.Details = detail.NewTransactions(detail.Services{
		Statuses: s.Statuses, Blocks: s.Blocks, Transactions: s.Transactions, Events: s.Events,
		Transfers: s.Transfers, Messages: s.Messages, Cache: s.Cache, Node: o.NodeTransactions,
	})
	s.Search = search.New(o.Store, s.Blocks, s.Statuses)
	return s
}
