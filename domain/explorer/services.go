package explorer

import (
	"cmp"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
)

// Services are everything that a facade can ask.
type Services struct {
	// Cursors write and read the cursors of every list.
	Cursors *domain.Cursors
	// Statuses tell how chains and their indexes stand.
	Statuses *chain.Statuses
	// Censuses tell who holds tokens.
	Censuses *token.Censuses
}

// Store is everything that the services read.
type Store interface {
	chain.Heads
	token.CensusStore
}

// Options are what the services stand on.
type Options struct {
	Store   Store
	Cursors *domain.Cursors
	// Freshness is how old a chain's status may be when it is answered.
	Freshness time.Duration
	// ScreeningTop is how many holders a screening shows; zero means
	// token.ScreeningTop.
	ScreeningTop int
}

// New makes the services.
func New(o Options) *Services {
	return &Services{
		Cursors:  o.Cursors,
		Statuses: chain.NewStatuses(o.Store, o.Freshness),
		Censuses: token.NewCensuses(o.Store, cmp.Or(o.ScreeningTop, token.ScreeningTop), time.Now),
	}
}
