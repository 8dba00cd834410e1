package economy

import (
	"slices"

	"astrolabe/sim/contract"
	"astrolabe/starknet"
)

// Economy implements chain.Script.
type Economy struct {
	network Network
	profile Profile
	classes *contract.Library
	memory  memory
	refused []error

	predeployed []Account
}

// New returns the script for a network, with accounts for clients.
func New(network Network, profile Profile, classes *contract.Library, predeployed []Account) *Economy {
	return &Economy{network: network, profile: profile, classes: classes, predeployed: predeployed}
}

// memory is the state of the script. Its slices only grow, so a copy of the
// struct is a snapshot.
type memory struct {
	actors []actor
	named  []Contract
	hopes  []hope // funded accounts that are not deployed yet
	nfts   uint64 // minted in each collection
	mails  uint64 // messages from L1
	// proxied counts the items of the collection behind a proxy.
	proxied uint64
}

// actor is an account that the script controls.
type actor struct {
	address starknet.Felt
	version uint64 // of its transactions: 1 pays in ETH, 3 in STRK
}

// hope is an account that is not deployed yet.
type hope struct {
	actor
	salt, key starknet.Felt
	born      uint64 // block in which it may be deployed
}

// Contract is a contract of the economy by its name in the script.
type Contract struct {
	Name    string        `json:"name"`
	Class   string        `json:"class"` // the class that it was deployed with
	Address starknet.Felt `json:"address"`
}

// Save implements chain.Script.
func (e *Economy) Save() any { return e.memory }

// Restore implements chain.Script.
func (e *Economy) Restore(saved any) {
	e.memory = saved.(memory)
	// A later append must not overwrite the elements of a newer snapshot.
	e.memory.actors = slices.Clip(e.memory.actors)
	e.memory.named = slices.Clip(e.memory.named)
	e.memory.hopes = slices.Clip(e.memory.hopes)
}

// Directory lists the contracts of the economy: those of block 0 and those
// deployed since. It must not be called while a block is built.
func (e *Economy) Directory() []Contract { return slices.Clone(e.memory.named) }

// maxRefused is how many rejections are recorded.
const maxRefused = 100

// Refused returns the first reasons why transactions could not be included in a
// block. That happens only after a reorg has invalidated the script's
// assumptions.
func (e *Economy) Refused() []error { return slices.Clone(e.refused) }

func (e *Economy) name(name, class string, address starknet.Felt) {
	e.memory.named = append(e.memory.named, Contract{name, class, address})
}

// find returns the newest contract of that name; zero if there is none.
func (e *Economy) find(name string) starknet.Felt {
	for _, c := range slices.Backward(e.memory.named) {
		if c.Name == name {
			return c.Address
		}
	}
	return starknet.Felt{}
}
