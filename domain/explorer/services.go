package explorer

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
)

// Services are everything that a facade can ask.
type Services struct {
	// Cursors write and read the cursors of every list.
	Cursors *domain.Cursors
	// Statuses tell how chains and their indexes stand.
	Statuses *chain.Statuses
	// Events tell what contracts have emitted.
	Events *event.Events
}

// Store is everything that the services read.
type Store interface {
	chain.Heads
	chain.ClassStore
	event.Store
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
	statuses, classes := chain.NewStatuses(o.Store, o.Freshness), chain.NewCompiledClasses(o.Store)
	return &Services{
		Cursors:  o.Cursors,
		Statuses: statuses,
		Events:   event.NewEvents(o.Store, classes, statuses, o.Freshness),
	}
}
