package privacy

import (
	"astrolabe/domain/event"
	"astrolabe/starknet"
)

// Place is the position of an event in the chain.
type Place = event.Place

// PoolPlace is the position of an event of a pool.
type PoolPlace struct {
	Pool starknet.Felt
	At   Place
}
