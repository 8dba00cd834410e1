package node

import (
	"errors"
	"fmt"

	"astrolabe/starknet"
)

// BlockID identifies the block of a call: by number, by hash or by tag. The
// zero value is invalid.
type BlockID struct {
	tag    string
	number *uint64
	hash   *starknet.Felt
}

// The tags: the newest block, the newest block accepted on L1, and the
// pre-confirmed block.
var (
	Latest       = BlockID{tag: "latest"}
	L1Accepted   = BlockID{tag: "l1_accepted"}
	PreConfirmed = BlockID{tag: "pre_confirmed"}
)

// AtNumber identifies a block by number. A reorg may replace it.
func AtNumber(n uint64) BlockID { return BlockID{number: &n} }

// AtHash identifies a block by hash.
func AtHash(h starknet.Felt) BlockID { return BlockID{hash: &h} }

// MarshalJSON encodes the block id as the specification requires.
func (id BlockID) MarshalJSON() ([]byte, error) {
	switch {
	case id.hash != nil:
		return fmt.Appendf(nil, `{"block_hash":"%s"}`, *id.hash), nil
	case id.number != nil:
		return fmt.Appendf(nil, `{"block_number":%d}`, *id.number), nil
	case id.tag != "":
		return fmt.Appendf(nil, "%q", id.tag), nil
	}
	return nil, errors.New("the block id is empty")
}

// check rejects a header of another block than the requested one.
func (id BlockID) check(header *starknet.BlockHeader, status starknet.FinalityStatus) error {
	switch {
	case header.BlockHash.IsZero():
		return errors.New("the block has no hash")
	case id.hash != nil && *id.hash != header.BlockHash:
		return fmt.Errorf("got block %s, want %s", header.BlockHash, *id.hash)
	case id.number != nil && *id.number != header.BlockNumber:
		return fmt.Errorf("got block %d, want %d", header.BlockNumber, *id.number)
	case id.tag == L1Accepted.tag && status != starknet.AcceptedOnL1:
		return fmt.Errorf("block %d is not accepted on L1", header.BlockNumber)
	}
	return nil
}
