package commitment

import (
	"encoding/binary"
	"fmt"

	"astrolabe/starknet"
)

var (
	blockTag      = starknet.MustShortString("STARKNET_BLOCK_HASH0")
	blockTagL2Gas = starknet.MustShortString("STARKNET_BLOCK_HASH1")
	gasPricesTag  = starknet.MustShortString("STARKNET_GAS_PRICES0")
)

// Commitments are what a block's header states about its content. Formulas
// before Poseidon have no receipts and no state diff, which are zero.
type Commitments struct {
	Transactions    starknet.Felt
	Events          starknet.Felt
	Receipts        starknet.Felt
	StateDiff       starknet.Felt
	StateDiffLength uint64
}

// Of computes the commitments of a block from its content.
func Of(formula Formula, block *starknet.BlockWithReceipts, diff *starknet.StateDiff) (c Commitments, err error) {
	if c.Transactions, err = transactions(block, formula); err != nil {
		return Commitments{}, err
	}
	if formula > BeforeEvents {
		c.Events = events(block, formula)
	}
	c.StateDiffLength = Length(diff)
	if formula.CommitsState() {
		c.Receipts = receipts(block)
		c.StateDiff = StateDiff(diff)
	}
	return c, nil
}

// Length returns the number of changed values in a state diff.
func Length(diff *starknet.StateDiff) uint64 {
	n := len(diff.DeployedContracts) + len(diff.ReplacedClasses) + len(diff.DeclaredClasses) +
		len(diff.MigratedCompiledClasses) + len(diff.DeprecatedDeclaredClasses) + len(diff.Nonces)
	for i := range diff.StorageDiffs {
		n += len(diff.StorageDiffs[i].StorageEntries)
	}
	return uint64(n)
}

// BlockHash returns the hash of a block with the given header and commitments.
// The commitments that the header itself states are not used.
func BlockHash(chainID starknet.Felt, formula Formula, header *starknet.BlockHeader, c Commitments) (starknet.Felt, error) {
	switch formula {
	case BeforeEvents:
		return starknet.PedersenMany(
			starknet.FeltFromUint64(header.BlockNumber), header.NewRoot, starknet.Felt{}, starknet.Felt{},
			starknet.FeltFromUint64(header.TransactionCount), c.Transactions,
			starknet.Felt{}, starknet.Felt{}, starknet.Felt{}, starknet.Felt{}, chainID, header.ParentHash,
		), nil
	case Pedersen:
		return starknet.PedersenMany(
			starknet.FeltFromUint64(header.BlockNumber), header.NewRoot, header.SequencerAddress, starknet.FeltFromUint64(header.Timestamp),
			starknet.FeltFromUint64(header.TransactionCount), c.Transactions, starknet.FeltFromUint64(header.EventCount), c.Events,
			starknet.Felt{}, starknet.Felt{}, header.ParentHash,
		), nil
	}
	return hashPoseidon(formula, header, c)
}

// HasHash reports whether a block has the hash that its header states. Where
// an old header names no sequencer, the address that the chain used then is
// tried too. computed is the hash by the header as it is.
func HasHash(chainID starknet.Felt, formula Formula, header *starknet.BlockHeader, c Commitments) (computed starknet.Felt, ok bool, err error) {
	computed, err = BlockHash(chainID, formula, header, c)
	if err != nil || computed == header.BlockHash {
		return computed, err == nil, err
	}
	fallback, known := fallbackSequencers[chainID]
	if formula != Pedersen || !header.SequencerAddress.IsZero() || !known {
		return computed, false, nil
	}
	unnamed := *header
	unnamed.SequencerAddress = fallback
	other, err := BlockHash(chainID, formula, &unnamed, c)
	return computed, other == header.BlockHash, err
}

func hashPoseidon(formula Formula, header *starknet.BlockHeader, c Commitments) (starknet.Felt, error) {
	version, err := starknet.ShortString(header.StarknetVersion)
	if err != nil {
		return starknet.Felt{}, fmt.Errorf("%w: %w", ErrUnknownVersion, err)
	}
	prices := []starknet.Felt{
		header.L1GasPrice.PriceInWei, header.L1GasPrice.PriceInFri,
		header.L1DataGasPrice.PriceInWei, header.L1DataGasPrice.PriceInFri,
	}
	tag := blockTag
	if formula == PoseidonL2Gas {
		var h starknet.PoseidonHasher
		h.Write(gasPricesTag)
		h.Write(append(prices, header.L2GasPrice.PriceInWei, header.L2GasPrice.PriceInFri)...)
		tag, prices = blockTagL2Gas, []starknet.Felt{h.Sum()}
	}
	var h starknet.PoseidonHasher
	h.Write(tag, starknet.FeltFromUint64(header.BlockNumber), header.NewRoot, header.SequencerAddress, starknet.FeltFromUint64(header.Timestamp),
		packedCounts(header, c.StateDiffLength), c.StateDiff, c.Transactions, c.Events, c.Receipts)
	h.Write(prices...)
	h.Write(version, starknet.Felt{}, header.ParentHash)
	return h.Sum(), nil
}

// packedCounts packs the three counts, 64 bits each, and one bit for the data
// availability mode.
func packedCounts(header *starknet.BlockHeader, stateDiffLength uint64) (f starknet.Felt) {
	binary.BigEndian.PutUint64(f[0:], header.TransactionCount)
	binary.BigEndian.PutUint64(f[8:], header.EventCount)
	binary.BigEndian.PutUint64(f[16:], stateDiffLength)
	if header.L1DAMode == starknet.Blob {
		f[24] = 0x80
	}
	return f
}

// Stated returns the commitments that a header states.
func Stated(header *starknet.BlockHeader) Commitments {
	return Commitments{
		Transactions: header.TransactionCommitment, Events: header.EventCommitment, Receipts: header.ReceiptCommitment,
		StateDiff: header.StateDiffCommitment, StateDiffLength: header.StateDiffLength,
	}
}
