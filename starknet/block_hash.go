package starknet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrOldBlock reports a block from before Starknet 0.13.2, whose hash formulas
// are not implemented.
var ErrOldBlock = errors.New("block hash formula not supported")

var (
	blockHashTag0 = MustShortString("STARKNET_BLOCK_HASH0")
	blockHashTag1 = MustShortString("STARKNET_BLOCK_HASH1")
	gasPricesTag  = MustShortString("STARKNET_GAS_PRICES0")
)

// ComputeHash returns the block's hash from its header, by the formula of the header's
// Starknet version. The commitments are taken as they are. It returns ErrOldBlock before
// Starknet 0.13.2.
func (h *BlockHeader) ComputeHash() (Felt, error) {
	version, err := ShortString(h.StarknetVersion)
	if err != nil {
		return Felt{}, fmt.Errorf("%w: version: %w", ErrOldBlock, err)
	}
	var major, minor, patch int
	if _, err := fmt.Sscanf(h.StarknetVersion, "%d.%d.%d", &major, &minor, &patch); err != nil {
		return Felt{}, fmt.Errorf("%w: version %q", ErrOldBlock, h.StarknetVersion)
	}
	release := major*1_000_000 + minor*1000 + patch
	if release < 13_002 {
		return Felt{}, fmt.Errorf("%w: version %q", ErrOldBlock, h.StarknetVersion)
	}
	tag, prices := blockHashTag1, []Felt{PoseidonMany(append([]Felt{gasPricesTag}, h.gasPrices()...)...)}
	if release < 13_004 {
		// The price of L2 gas was not part of the hash yet.
		tag, prices = blockHashTag0, h.gasPrices()[:4]
	}
	var p PoseidonHasher
	p.Write(tag, FeltFromUint64(h.BlockNumber), h.NewRoot, h.SequencerAddress, FeltFromUint64(h.Timestamp), h.packedCounts(),
		h.StateDiffCommitment, h.TransactionCommitment, h.EventCommitment, h.ReceiptCommitment)
	p.Write(prices...)
	p.Write(version, Felt{}, h.ParentHash)
	return p.Sum(), nil
}

func (h *BlockHeader) gasPrices() []Felt {
	return []Felt{
		h.L1GasPrice.PriceInWei, h.L1GasPrice.PriceInFri,
		h.L1DataGasPrice.PriceInWei, h.L1DataGasPrice.PriceInFri,
		h.L2GasPrice.PriceInWei, h.L2GasPrice.PriceInFri,
	}
}

// packedCounts packs the three counts, 64 bits each, and one bit for the data
// availability mode.
func (h *BlockHeader) packedCounts() (f Felt) {
	binary.BigEndian.PutUint64(f[0:], h.TransactionCount)
	binary.BigEndian.PutUint64(f[8:], h.EventCount)
	binary.BigEndian.PutUint64(f[16:], h.StateDiffLength)
	if h.L1DAMode == Blob {
		f[24] = 0x80
	}
	return f
}
