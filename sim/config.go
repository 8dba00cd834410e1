package sim

import (
	"errors"
	"fmt"
	"time"

	"astrolabe/sim/economy"
)

// Profile is how busy a chain is; Everyday and Bulk return one.
type Profile = economy.Profile

// Everyday is the default profile: every transaction type and event shape
// within the first 150 blocks or so.
func Everyday() Profile { return economy.Everyday() }

// Bulk is the profile of a chain for load tests, with about that many events
// per block.
func Bulk(events int) Profile { return economy.Bulk(events) }

// Config configures a node. The zero value is a mainnet with seed 0 and only
// block 0.
type Config struct {
	Seed uint64
	// Chain is SN_MAIN, the default, or SN_SEPOLIA.
	Chain string
	// Blocks is the number of blocks after block 0 at startup.
	Blocks int
	// BlockTime is the interval at which Start adds a block; zero leaves that
	// to Mine.
	BlockTime time.Duration
	// Genesis is the timestamp of block 0, by default the start of 2026. Blocks
	// are six seconds apart, or BlockTime if that is longer.
	Genesis time.Time
	// Clock gives the blocks that Start and Run add the time at which they are
	// added, instead of one that follows from the block before.
	Clock bool
	// Predeployed is the number of accounts for clients, whose keys
	// Node.Predeployed returns.
	Predeployed int
	// Profile is Everyday by default.
	Profile Profile
	// Window is the number of newest blocks that keep their state, by default
	// 2048. Older blocks cannot be read unless they are recorded.
	Window int
	// L1Lag is the number of blocks that L1 acceptance lags behind the head, by
	// default 12.
	L1Lag int
	// Record is a new file that every block is written to. Blocks older than
	// the window are read from it.
	Record string
	// State is like Record, but an existing file resumes its chain with the
	// same head, the same reorgs and the same future blocks. Blocks is then the
	// minimum number of blocks. Pending transactions of clients and faults are
	// lost. Only one node at a time may use the file.
	State string
	// Rendered is a folder of rendered JSON responses, which speeds up a node
	// that serves many blocks: getBlockWithReceipts and getStateUpdate by
	// number are served from it if possible. Startup fills it with the existing
	// blocks, which must all be readable: within the window, through Record or
	// State, or because the chain is a replay.
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
	case c.Blocks < 0 || c.L1Lag < 0 || c.BlockTime < 0 || c.Predeployed < 0:
		return c, errors.New("sim: numbers must not be negative")
	case c.Window < 2:
		return c, fmt.Errorf("sim: a window of %d blocks is too small", c.Window)
	case c.Genesis.Unix() < 0:
		return c, errors.New("sim: block 0 cannot be before 1970")
	}
	return c, nil
}

// spacing is the minimum distance of blocks in seconds.
func (c Config) spacing() uint64 {
	const usual = 6
	return max(usual, uint64(c.BlockTime/time.Second))
}
