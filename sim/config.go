package sim

import (
	"errors"
	"fmt"
	"time"

	"astrolabe/sim/economy"
)

// Profile says how busy a chain is; Everyday and Bulk make one.
type Profile = economy.Profile

// Everyday is the default profile: every shape within the first 150 blocks or so.
func Everyday() Profile { return economy.Everyday() }

// Bulk is a chain for loading, with about as many events in each block.
func Bulk(events int) Profile { return economy.Bulk(events) }

// Config describes a node. The zero value is a mainnet with seed 0 and nothing but block 0.
type Config struct {
	Seed uint64
	// Chain is SN_MAIN, the default, or SN_SEPOLIA.
	Chain string
	// Blocks is how many blocks follow block 0 at the start.
	Blocks int
	// BlockTime is how often Start adds a block; zero leaves that to Mine.
	BlockTime time.Duration
	// Genesis is when block 0 was, by default the beginning of 2026. Timestamps follow
	// from it: blocks are six seconds apart, or BlockTime if that is longer.
	Genesis time.Time
	// Profile is Everyday by default.
	Profile Profile
	// Window is how many of the newest blocks keep their state, by default 2048. Older
	// blocks cannot be read at all unless they are recorded.
	Window int
	// L1Lag is how many blocks L1 acceptance is behind the head, by default 12.
	L1Lag int
	// Record is a new file that every block is written to; blocks that have left the window
	// are read from it.
	Record string
	// State is the same, and if the file exists, the chain in it goes on: with the same
	// head, the same reorganisations and the same blocks to come. Blocks then is how many
	// there are at least. What clients sent and no block has is lost, and so are faults.
	// One node at a time may use the file.
	State string
	// Rendered is a folder of answers in JSON, which speeds up a node that many blocks are
	// read from: calls of getBlockWithReceipts and getStateUpdate for a block by its number
	// are answered from it where it can. It is filled with the blocks that there are at the
	// start, as far as it is not. Every block must still be readable then: by its window,
	// by Record or State, or because the chain is a replay.
	Rendered string
	// SpecVersion is the version that the node claims, by default 0.10.2.
	SpecVersion string
}

func (c Config) withDefaults() (Config, error) {
	if c.Chain == "" {
		c.Chain = "SN_MAIN"
	}
	if c.Genesis.IsZero() {
		c.Genesis = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if c.Profile == (Profile{}) {
		c.Profile = Everyday()
	}
	if c.Window == 0 {
		c.Window = 2048
	}
	if c.L1Lag == 0 {
		c.L1Lag = 12
	}
	if c.SpecVersion == "" {
		c.SpecVersion = "0.10.2"
	}
	switch {
	case c.Record != "" && c.State != "":
		return c, errors.New("sim: Record and State exclude each other")
	case c.Blocks < 0 || c.L1Lag < 0 || c.BlockTime < 0:
		return c, errors.New("sim: numbers must not be negative")
	case c.Window < 2:
		return c, fmt.Errorf("sim: a window of %d blocks is too small", c.Window)
	case c.Genesis.Unix() < 0:
		return c, errors.New("sim: block 0 cannot be before 1970")
	}
	return c, nil
}

// spacing is how far apart blocks are at least, in seconds.
func (c Config) spacing() uint64 {
	const usual = 6
	return max(usual, uint64(c.BlockTime/time.Second))
}
