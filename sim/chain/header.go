package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"astrolabe/sim/state"
	"astrolabe/starknet"
)

// Sequencer is the address that builds the blocks and receives the fees.
var Sequencer = starknet.MustFelt("0x1176a1bd84444c89232ec27754698e5d2e7e1a7f1539f12027f28b23ec9f3d8")

// starknetVersion is the protocol version whose formulas the chain follows.
const starknetVersion = "0.14.1"

// builder starts the block after the head.
func (c *Chain) builder() *Builder {
	number, timestamp := uint64(0), c.config.Genesis
	var base state.Reader = c.history
	if c.head != nil {
		number = c.head.Header.BlockNumber + 1
		timestamp = c.head.Header.Timestamp + c.config.Spacing
	}
	chance := c.chance(number)
	if number > 0 {
		timestamp += chance.Uint64N(2)
	}
	if c.time > 0 {
		timestamp = c.time
	}
	return &Builder{
		Header: header(number, timestamp, chance),
		State:  state.NewOverlay(base), Rand: chance, Branch: c.branch, machine: c.config.Machine,
	}
}

// chance returns the random source of a block.
func (c *Chain) chance(number uint64) *rand.Rand {
	text := binary.BigEndian.AppendUint64(c.config.Machine.ChainID[:], c.config.Seed)
	text = binary.BigEndian.AppendUint64(text, number)
	text = binary.BigEndian.AppendUint64(text, c.branch)
	return rand.New(rand.NewChaCha8(sha256.Sum256(text))) //nolint:gosec // It must be reproducible.
}

func header(number, timestamp uint64, chance *rand.Rand) starknet.PreConfirmedHeader {
	price := func(wei uint64) starknet.ResourcePrice {
		wei += chance.Uint64N(wei/10 + 1)
		return starknet.ResourcePrice{PriceInWei: starknet.FeltFromUint64(wei), PriceInFri: starknet.FeltFromUint64(wei * 12_000)}
	}
	return starknet.PreConfirmedHeader{
		BlockNumber: number, Timestamp: timestamp, SequencerAddress: Sequencer,
		L1GasPrice: price(2_000_000_000), L1DataGasPrice: price(40_000), L2GasPrice: price(250_000),
		L1DAMode: starknet.Blob, StarknetVersion: starknetVersion,
	}
}
