package explorer

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
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
	// Addresses tell what addresses did, hold and are.
	Addresses *address.Addresses
	// Labels tell what addresses are called.
	Labels *address.Labels
}

// Store is everything that the services read.
type Store interface {
	chain.Heads
	chain.ClassStore
	event.Store
	token.TransferStore
	chain.MessageStore
	address.Store
	address.Notes
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
	labels := address.NewLabels(o.Store, time.Now)
	return &Services{
		Cursors:   o.Cursors,
		Statuses:  statuses,
		Events:    event.NewEvents(o.Store, chain.NewCompiledClasses(o.Store)),
		Transfers: token.NewTransfers(o.Store, statuses),
		Messages:  chain.NewMessages(o.Store, statuses),
		Addresses: address.NewAddresses(o.Store, statuses, labels),
		Labels:    labels,
	}
}
