package oracle

import (
	"slices"

	"astrolabe/starknet"
)

// factory is a known pool factory with the classes of its pools on the real and
// the simulated chain.
type factory struct {
	Protocol, Name, Kind, Event   string
	FeeBps                        *int
	Factory                       starknet.Felt
	PoolClasses, SimulatedClasses []starknet.Felt
}

// pool is a market of a token.
type pool struct {
	emission
	*factory
	address, other starknet.Felt
	class          *starknet.Felt // of its deployment, in the block of its event
	fee            *int
}

// read decodes the pool from an event of the factory; false for another event.
func (f *factory) read(at emission) (p pool, tokens [2]starknet.Felt, ok bool) {
	said := at.payload()
	p = pool{emission: at, factory: f, fee: f.FeeBps}
	switch {
	case f.Event == "PairCreated" && len(said) == 4: // both tokens, the pair, how many there are
		p.address = said[2]
	case f.Event == "PoolCreated" && len(said) == 5: // both tokens, the fee in millionths, the spacing, the pool
		p.address, p.fee = said[4], nil
		if fee := number(said[2]); fee <= 1_000_000 && fee%100 == 0 {
			p.fee = new(fee / 100)
		}
	default:
		return p, tokens, false
	}
	for _, c := range at.block.Diff.DeployedContracts {
		if c.Address == p.address {
			p.class = &c.ClassHash
		}
	}
	return p, [2]starknet.Felt(said[:2]), true
}

// pools lists the pools of a token, newest first: those that a known factory
// created with one of its classes.
func (m *Model) pools(r Request, token starknet.Felt) Answer {
	if _, ok := limitOf(r.Query, "limit", 25, 100); !ok {
		return invalid
	}
	if m.standardOf(token) == "" {
		return notFound
	}
	var rows []pool
	for _, t := range newestFirst(m.txs) {
		for log := len(t.Receipt.Events) - 1; log >= 0; log-- {
			for i := range m.Registry.Factories {
				f, e := &m.Registry.Factories[i], &t.Receipt.Events[log]
				if e.FromAddress != f.Factory || len(e.Keys) == 0 || e.Keys[0] != starknet.Selector(f.Event) {
					continue
				}
				p, tokens, ok := f.read(emission{t, log})
				if place := slices.Index(tokens[:], token); ok && place >= 0 {
					p.other = tokens[1-place]
					rows = append(rows, p)
				}
			}
		}
	}
	more := m.covered(nil)
	recognised := slices.DeleteFunc(slices.Clone(rows), func(p pool) bool {
		return p.class == nil || !slices.Contains(p.PoolClasses, *p.class) && !slices.Contains(p.SimulatedClasses, *p.class)
	})
	if len(recognised) < len(rows) && m.first() == 0 {
		more = object{"coverage": object{"status": "partial", "reasonCode": "unrecognised_pool_class"}}
	}
	more["tokenAddress"] = token.String()
	return pageOf(m, r, 25, 100, recognised, m.poolBody, more)
}

func (m *Model) poolBody(p pool) object {
	return object{
		"marketId": p.Protocol + ":" + p.address.String(), "marketKind": p.Kind, "protocolName": p.Name, "poolAddress": p.address.String(),
		"pairedToken": object{"address": p.other.String(), "symbol": m.called[p.other].Symbol}, "feeBps": p.fee, "createdAtBlock": p.block.BlockNumber,
		"evidence": object{
			"kind": "factory_event", "factoryAddress": p.Factory.String(), "eventName": p.Event, "txHash": p.Receipt.TransactionHash.String(),
			"logIndex": p.log, "poolClassHash": p.class.String(),
		},
	}
}
