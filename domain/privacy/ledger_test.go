package privacy_test

import (
	"testing"

	"pgregory.net/rapid"

	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/starknet"
)

// tables hold the rows of a ledger.
type tables struct {
	*privacy.LedgerChanges
	settings []privacy.FeeSetting
}

func newTables() *tables { return &tables{LedgerChanges: privacy.NewLedgerChanges()} }

// fold extends the ledger by the blocks from one index to before another.
func (t *tables) fold(c testChain, from, to int) error {
	step := c.step(from, to)
	changes, err := privacy.Fold(t.State(t.settings), step)
	if err != nil {
		return err
	}
	for i := range step.Events {
		if e := &step.Events[i]; e.Variant == facts.FeeAmountSet || e.Variant == facts.FeeCollectorSet {
			t.settings = append(t.settings, e.FeeSetting())
		}
	}
	return t.Merge(changes)
}

func plus(a, b starknet.Uint256) starknet.Uint256 {
	sum, err := a.Add(b)
	if err != nil {
		panic(err)
	}
	return sum
}

// testChain is a finalized chain with the events of pools.
type testChain struct {
	blocks    []privacy.LedgerBlock
	events    []privacy.LedgerEvent
	transfers []privacy.FeeTransfer
}

// step returns what happened in the blocks from one index to before another.
func (c testChain) step(from, to int) (step privacy.LedgerStep) {
	within := func(block uint64) bool { return block >= uint64(from) && block < uint64(to) }
	for i := from; i < to; i++ {
		if i == to-1 || c.blocks[i].Timestamp/3600 != c.blocks[i+1].Timestamp/3600 {
			step.Hours = append(step.Hours, c.blocks[i])
		}
	}
	for _, e := range c.events {
		if within(e.At.Block) {
			step.Events = append(step.Events, e)
		}
	}
	for _, t := range c.transfers {
		if within(t.At.Block) {
			step.Transfers = append(step.Transfers, t)
		}
	}
	return step
}

// block appends a block.
func (c *testChain) block(timestamp uint64) {
	n := uint64(len(c.blocks))
	c.blocks = append(c.blocks, privacy.LedgerBlock{Number: n, Hash: starknet.FeltFromUint64(0xb10c + n), Timestamp: timestamp})
}

// event appends an event to the newest block.
func (c *testChain) event(tx, log int, variant facts.PoolVariant, token uint64, amount *starknet.Uint256) *privacy.LedgerEvent {
	b := c.blocks[len(c.blocks)-1]
	e := privacy.LedgerEvent{At: at(b.Number, tx, log), Timestamp: b.Timestamp, Pool: pool, Variant: variant, Reading: facts.PoolRead, Amount: amount}
	if token != 0 {
		e.Token = new(starknet.FeltFromUint64(token))
	}
	c.events = append(c.events, e)
	return &c.events[len(c.events)-1]
}

// anyChain draws a chain with quiet hours, quiet blocks, malformed events, two
// pools and fees.
func anyChain(t *rapid.T) (c testChain) {
	timestamp := rapid.Uint64Range(0, 1<<31).Draw(t, "start")
	for range rapid.IntRange(1, 25).Draw(t, "blocks") {
		c.block(timestamp)
		timestamp += rapid.SampledFrom([]uint64{0, 1, 600, 3599, 3600, 9000, 30_000}).Draw(t, "gap")
		for tx := range rapid.IntRange(0, 3).Draw(t, "transactions") {
			c.anyTransaction(t, tx)
		}
	}
	return c
}

func (c *testChain) anyTransaction(t *rapid.T, tx int) {
	at := at(uint64(len(c.blocks)-1), tx, 0)
	c.transfers = append(c.transfers, paid(at, rapid.SampledFrom([]starknet.Felt{collector, newCollector}).Draw(t, "payee"), rapid.ByteRange(0, 2).Draw(t, "fee")))
	for log := range rapid.IntRange(0, 4).Draw(t, "events") {
		variant := rapid.SampledFrom(facts.PoolVariants[:13]).Draw(t, "variant")
		e := c.event(tx, log+1, variant, 0, nil)
		e.Pool = rapid.SampledFrom([]starknet.Felt{pool, otherPool}).Draw(t, "pool")
		e.Party = new(rapid.SampledFrom([]starknet.Felt{collector, newCollector}).Draw(t, "party"))
		malformed := rapid.IntRange(0, 5).Draw(t, "malformed") == 0
		if malformed && variant != facts.ProtocolEvent {
			e.Reading = facts.PoolMalformed
		} else {
			e.Amount = new(units(rapid.ByteRange(0, 3).Draw(t, "amount")))
		}
		if variant.Flows() && (!malformed || rapid.Bool().Draw(t, "token known")) {
			e.Token = new(starknet.FeltFromUint64(rapid.Uint64Range(0x70, 0x72).Draw(t, "token")))
		}
	}
}

// folded returns the ledger of a whole chain in one step.
func folded(t testing.TB, c testChain) *tables {
	t.Helper()
	all := newTables()
	if err := all.fold(c, 0, len(c.blocks)); err != nil {
		t.Fatal(err)
	}
	return all
}
