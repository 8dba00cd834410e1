package token

import (
	"crypto/sha256"
	_ "embed" // the registry is a document
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// MarketKind is the pricing model of a market.
type MarketKind string

// The kinds of markets.
const (
	ConstantProduct       MarketKind = "constant_product"
	ConcentratedLiquidity MarketKind = "concentrated_liquidity"
)

// Factory is a known contract that creates pools. Its pools are those that its
// event names and that were deployed with one of its classes.
type Factory struct {
	Protocol    string          `json:"protocol"`
	Name        string          `json:"name"`
	Kind        MarketKind      `json:"kind"`
	Event       string          `json:"event"`
	FeeBps      *int            `json:"feeBps,omitempty"` // of all its pools; nil when each has its own
	Address     starknet.Felt   `json:"factory"`
	PoolClasses []starknet.Felt `json:"poolClasses,omitempty"`
	// SimulatedClasses are those of a simulated chain's pools.
	SimulatedClasses []starknet.Felt `json:"simulatedClasses,omitempty"`
}

//go:embed factories.json
var factoriesText []byte

var factories = sync.OnceValue(func() map[domain.Chain][]Factory {
	var document map[domain.Chain][]Factory
	if err := strictjson.Decode(factoriesText, &document); err != nil {
		panic("the embedded factories cannot be read: " + err.Error())
	}
	return document
})

// Factories returns the known factories of a chain.
func Factories(c domain.Chain) []Factory { return factories()[c] }

// creation is the layout of an event that creates a pool. Positions count its
// felts after the first key, keys and data alike; a negative position is
// absent.
type creation struct {
	felts, token0, token1, pool, fee int
}

// creations are the events of the known protocols by name.
var creations = map[string]creation{
	"PairCreated": {felts: 4, token0: 0, token1: 1, pool: 2, fee: -1}, // then the number of pairs
	"PoolCreated": {felts: 5, token0: 0, token1: 1, pool: 4, fee: 2},  // before the pool its tick spacing
}

// Selector is the first key of the event that creates a pool.
func (f *Factory) Selector() starknet.Felt { return starknet.Selector(f.Event) }

// PoolPlace is the place of the pool's address in that event.
func (f *Factory) PoolPlace() int { return creations[f.Event].pool }

// Digest changes whenever the recognised pools or their fields would change.
func (f *Factory) Digest() string {
	text, err := json.Marshal([]any{f, creations[f.Event]})
	if err != nil {
		panic(fmt.Errorf("a factory does not encode: %w", err))
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Read returns the pool that an event of the factory creates. class is the one
// that the pool was deployed with in the same block, nil when it was not. It is
// false for an event of another shape.
func (f *Factory) Read(row *event.Row, class *starknet.Felt) (Pool, bool) {
	at := creations[f.Event]
	felts, ok := payload(row, at.felts)
	if !ok {
		return Pool{}, false
	}
	pool := Pool{
		Factory: f, Address: felts[at.pool], Tokens: [2]starknet.Felt{felts[at.token0], felts[at.token1]}, FeeBps: f.FeeBps, Class: class,
		Block: row.Block, Tx: row.Tx, Log: row.Log, TxHash: row.TxHash,
	}
	if at.fee >= 0 {
		pool.FeeBps = basisPoints(felts[at.fee])
	}
	return pool, true
}

// basisPoints turns a fee in millionths into basis points; it is nil for one
// that is not a whole number of them.
func basisPoints(fee starknet.Felt) *int {
	const most = 1_000_000
	n, ok := fee.Count(most)
	if !ok || n%100 != 0 {
		return nil
	}
	return new(n / 100)
}

// recognises reports whether a class is one of the factory's pools.
func (f *Factory) recognises(class *starknet.Felt) bool {
	return class != nil && (slices.Contains(f.PoolClasses, *class) || slices.Contains(f.SimulatedClasses, *class))
}
