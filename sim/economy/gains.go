package economy

import (
	"encoding/json"

	"astrolabe/starknet"
)

// gains is the change of the memory in a block: the new elements of its slices,
// and the current values of its counters.
type gains struct {
	Actors []gainedActor `json:"actors,omitempty"`
	Named  []Contract    `json:"named,omitempty"`
	Hopes  []gainedHope  `json:"hopes,omitempty"`
	NFTs   uint64        `json:"nfts"`
	Mails  uint64        `json:"mails"`
	// Proxied is omitted before there are proxies.
	Proxied uint64 `json:"proxied,omitempty"`
}

type gainedActor struct {
	Address starknet.Felt `json:"address"`
	Version uint64        `json:"version"`
}

type gainedHope struct {
	gainedActor
	Salt starknet.Felt `json:"salt"`
	Key  starknet.Felt `json:"key"`
	Born uint64        `json:"born"`
}

// Gained implements chain.Script.
func (e *Economy) Gained(since any) ([]byte, error) {
	before, _ := since.(memory)
	g := gains{Named: e.memory.named[len(before.named):], NFTs: e.memory.nfts, Mails: e.memory.mails, Proxied: e.memory.proxied}
	for _, a := range e.memory.actors[len(before.actors):] {
		g.Actors = append(g.Actors, a.exported())
	}
	for _, h := range e.memory.hopes[len(before.hopes):] {
		g.Hopes = append(g.Hopes, gainedHope{h.exported(), h.salt, h.key, h.born})
	}
	return json.Marshal(g)
}

// Learn implements chain.Script.
func (e *Economy) Learn(gained []byte) error {
	var g gains
	if err := json.Unmarshal(gained, &g); err != nil {
		return err
	}
	m := &e.memory
	m.named = append(m.named, g.Named...)
	for _, a := range g.Actors {
		m.actors = append(m.actors, a.actor())
	}
	for _, h := range g.Hopes {
		m.hopes = append(m.hopes, hope{h.actor(), h.Salt, h.Key, h.Born})
	}
	m.nfts, m.mails, m.proxied = g.NFTs, g.Mails, g.Proxied
	return nil
}

func (a actor) exported() gainedActor { return gainedActor{a.address, a.version} }

func (g gainedActor) actor() actor { return actor{g.Address, g.Version} }
