package node

import (
	"errors"
	"fmt"

	"astrolabe/starknet"
)

// BlockID names the block that a call is about: by number, by hash or by tag.
// The zero value names none and is refused.
type BlockID struct {
	tag    string
	number *uint64
	hash   *starknet.Felt
}

// The tags: the newest block, the newest one that was proven on L1, and the one
// that is not sealed yet.
var (
	Latest       = BlockID{tag: "latest"}
	L1Accepted   = BlockID{tag: "l1_accepted"}
	PreConfirmed = BlockID{tag: "pre_confirmed"}
)

// AtNumber names the block at a height, which a reorganisation may exchange.
func AtNumber(n uint64) BlockID { return BlockID{number: &n} }

// AtHash names one block beyond doubt.
func AtHash(h starknet.Felt) BlockID { return BlockID{hash: &h} }

// MarshalJSON writes the block id as the specification does.
func (id BlockID) MarshalJSON() ([]byte, error) {
	switch {
	case id.hash != nil:
		return fmt.Appendf(nil, `{"block_hash":"%s"}`, *id.hash), nil
	case id.number != nil:
		return fmt.Appendf(nil, `{"block_number":%d}`, *id.number), nil
	case id.tag != "":
		return fmt.Appendf(nil, "%q", id.tag), nil
	}
	return nil, errors.New("no block is named")
}

// check refuses a header that is not the one that was asked for.
func (id BlockID) check(header *starknet.BlockHeader, status starknet.FinalityStatus) error {
	switch {
	case header.BlockHash.IsZero():
		return errors.New("the block has no hash")
	case id.hash != nil && *id.hash != header.BlockHash:
		return fmt.Errorf("it is block %s, asked was %s", header.BlockHash, *id.hash)
	case id.number != nil && *id.number != header.BlockNumber:
		return fmt.Errorf("it is block %d, asked was %d", header.BlockNumber, *id.number)
	case id.tag == L1Accepted.tag && status != starknet.AcceptedOnL1:
		return fmt.Errorf("block %d is not accepted on L1", header.BlockNumber)
	}
	return nil
}
