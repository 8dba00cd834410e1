package economy

import (
	"astrolabe/sim/contract"
	"astrolabe/starknet"
)

// The first actors, by their index in memory. Users follow.
const (
	treasuryActor = iota
	issuerActor
	governorActor
	collectorActor
	forwarderActor
	firstUser
)

// cast creates the first actors. Their addresses are known before they are
// deployed. Nobody has their private keys: what the script does needs no
// signature.
func (e *Economy) cast() {
	class := e.classes.Named(contract.Account).Hash
	for i, version := range []uint64{1, 3, 3, 1} {
		h := newHope(class, starknet.FeltFromUint64(uint64(i)+1), starknet.FeltFromUint64(uint64(i)+1000), version)
		h.born = 2
		e.memory.hopes = append(e.memory.hopes, h)
		e.memory.actors = append(e.memory.actors, h.actor)
	}
	e.memory.actors = append(e.memory.actors, actor{e.network.Forwarder, 3})
}

func newHope(class, salt, key starknet.Felt, version uint64) hope {
	return hope{actor: actor{starknet.ContractAddress(starknet.Felt{}, salt, class, []starknet.Felt{key}), version}, salt: salt, key: key}
}

func (e *Economy) treasury() actor  { return e.memory.actors[treasuryActor] }
func (e *Economy) issuer() actor    { return e.memory.actors[issuerActor] }
func (e *Economy) governor() actor  { return e.memory.actors[governorActor] }
func (e *Economy) forwarder() actor { return e.memory.actors[forwarderActor] }
