package economy

import (
	"astrolabe/sim/chain"
	"astrolabe/sim/contract"
	"astrolabe/starknet"
)

// Play implements chain.Script.
func (e *Economy) Play(b *chain.Builder) error {
	t := &turn{e, b}
	t.populate()
	for _, episode := range episodes {
		if episode.due(t.number()) && (e.profile.Events == 0 || t.number() < settled) {
			episode.act(t)
		}
	}
	if e.profile.OddPool {
		for _, episode := range oddPoolEpisodes {
			if episode.due(t.number()) {
				episode.act(t)
			}
		}
	}
	switch {
	case t.number() < settled:
	case e.profile.Events > 0:
		t.bulk()
	default:
		t.ordinary()
	}
	return nil
}

// settled is the first block with ordinary activity.
const settled = 9

// populate deploys the accounts that are due and funds new ones until there are enough.
func (t *turn) populate() {
	for _, h := range t.memory.hopes {
		if h.born == t.number() {
			t.deployAccount(h)
		}
	}
	users := len(t.memory.actors) - firstUser
	if t.number() < 5 || users >= t.profile.Accounts {
		return
	}
	class := t.classes.Named(contract.Account).Hash
	newcomers := 2
	if t.profile.Events > 0 {
		newcomers = 64
	}
	for range min(newcomers, t.profile.Accounts-users) {
		version := pick[uint64](t, 1, 3, 3)
		if t.profile.Events > 0 {
			version = 3 // its hashes cost a tenth
		}
		h := newHope(class, t.felt(), t.felt(), version)
		h.born = t.number() + 1
		t.memory.hopes = append(t.memory.hopes, h)
		t.invoke(t.treasury(),
			transfer(t.network.Strk, h.address, amount(2000, 18)),
			transfer(t.network.Eth, h.address, amount(2, 18)),
			transfer(t.network.UsdcBridged, h.address, amount(500, 6)),
		)
	}
}

func (t *turn) deployAccount(h hope) {
	receipt := t.add(t.signed(starknet.Transaction{
		Type: starknet.DeployAccount, ClassHash: t.classes.Named(contract.Account).Hash,
		ContractAddressSalt: h.salt, ConstructorCalldata: []starknet.Felt{h.key},
	}, h.version))
	if receipt != nil && h.born > 2 { // the first actors are already in memory
		t.memory.actors = append(t.memory.actors, h.actor)
	}
}
