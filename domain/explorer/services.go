package explorer

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/bridge"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
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
	// Messages tell what was said between the layers.
	Messages *chain.Messages
	// Contracts tell what is known of contracts.
	Contracts *chain.Contracts
	// Classes tell what is known of classes.
	Classes *chain.Classes
	// Verifications tell which classes were verified.
	Verifications *verify.Records
	// Bridges tell of deposits and withdrawals.
	Bridges *bridge.Signals
	// Controls tell who controls tokens.
	Controls *token.ControlsReader
	// Pools tell where tokens are traded.
	Pools *token.Pools
}

// Store is everything that the services read.
type Store interface {
	chain.Heads
	chain.ClassStore
	event.Store
	chain.MessageStore
	chain.ContractStore
	chain.ClassIndex
	verify.Store
	bridge.Store
	token.ControlStore
	token.PoolStore
}

// Options are what the services stand on.
type Options struct {
	Store   Store
	Cursors *domain.Cursors
	// Freshness is how old a chain's status may be when it is answered.
	Freshness time.Duration
}

// New makes the services.
func New(o Options) *Services {
	statuses := chain.NewStatuses(o.Store, o.Freshness)
	compiled := chain.NewCompiledClasses(o.Store)
	contracts := chain.NewContracts(o.Store, statuses)
	return &Services{
		Cursors:       o.Cursors,
		Statuses:      statuses,
		Events:        event.NewEvents(o.Store, compiled),
		Messages:      chain.NewMessages(o.Store, statuses),
		Contracts:     contracts,
		Classes:       chain.NewClasses(o.Store),
		Verifications: verify.NewRecords(o.Store, contracts),
		Bridges:       bridge.NewSignals(o.Store, compiled, statuses),
		Controls:      token.NewControlsReader(o.Store, contracts, compiled, statuses),
		Pools:         token.NewPools(o.Store, contracts, statuses),
	}
}
