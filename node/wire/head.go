package wire

import (
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/starknet"
)

var headShape = shapeOf(
	felt("block_hash", func(r *domain.BlockRef) *starknet.Felt { return &r.Hash }),
	number("block_number", func(r *domain.BlockRef) *uint64 { return &r.Number }),
)

// DecodeHead reads the number and the hash of the newest block.
func DecodeHead(text []byte) (domain.BlockRef, error) {
	head, err := headShape.decode(text)
	if err == nil && head.Hash.IsZero() {
		err = errors.New("the head has no hash")
	}
	return head, err
}

// DecodeHeader reads the header of a new head.
func DecodeHeader(text []byte) (starknet.BlockHeader, error) {
	header, err := headerShape.decode(text)
	if err == nil && header.BlockHash.IsZero() {
		err = errors.New("the head has no hash")
	}
	return header, err
}

// Reorg is the range of blocks that left the chain, both ends included.
type Reorg struct {
	First, Last domain.BlockRef
}

var reorgShape = shapeOf(
	felt("starting_block_hash", func(r *Reorg) *starknet.Felt { return &r.First.Hash }),
	number("starting_block_number", func(r *Reorg) *uint64 { return &r.First.Number }),
	felt("ending_block_hash", func(r *Reorg) *starknet.Felt { return &r.Last.Hash }),
	number("ending_block_number", func(r *Reorg) *uint64 { return &r.Last.Number }),
)

// DecodeReorg decodes a reorg notification.
func DecodeReorg(text []byte) (Reorg, error) {
	reorg, err := reorgShape.decode(text)
	if err == nil && reorg.First.Number > reorg.Last.Number {
		err = fmt.Errorf("it ends at block %d before it starts at %d", reorg.Last.Number, reorg.First.Number)
	}
	return reorg, err
}
