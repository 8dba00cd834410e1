package explorer

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/verify"
)

// Services are everything that a facade can ask.
type Services struct {
	// Cursors write and read the cursors of every list.
	Cursors *domain.Cursors
	// Statuses tell how chains and their indexes stand.
	Statuses *chain.Statuses
	// Messages tell what was said between the layers.
	Messages *chain.Messages
	// Contracts tell what is known of contracts.
	Contracts *chain.Contracts
	// Classes tell what is known of classes.
	Classes *chain.Classes
	// Verifications tell which classes were verified.
	Verifications *verify.Records
}

// Store is everything that the services read.
type Store interface {
	chain.Heads
	chain.MessageStore
	chain.ContractStore
	chain.ClassStore
	verify.Store
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
	contracts := chain.NewContracts(o.Store, statuses)
	return &Services{
		Cursors:       o.Cursors,
		Statuses:      statuses,
		Messages:      chain.NewMessages(o.Store, statuses),
		Contracts:     contracts,
		Classes:       chain.NewClasses(o.Store),
		Verifications: verify.NewRecords(o.Store, contracts),
	}
}
