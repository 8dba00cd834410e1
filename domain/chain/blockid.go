package chain

import (
	"strconv"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// BlockID names a block as a caller does: by number, by hash or by tag. Exactly
// one of the three is set.
type BlockID struct {
	Number *uint64
	Hash   *starknet.Felt
	Tag    BlockTag
}

// BlockTag is a symbolic block, for example the latest.
type BlockTag string

// The tags.
const (
	Latest     BlockTag = "latest"      // the newest block
	Pending    BlockTag = "pending"     // the node's pre-confirmed block
	L1Accepted BlockTag = "l1_accepted" // the newest block that L1 has accepted
)

// StateTags are the tags by which a block is named whose state is to be read.
var StateTags = []BlockTag{Latest, Pending}

// maxBlockNumber is the largest number that a JSON integer holds exactly.
const maxBlockNumber = 1<<53 - 1

// ParseBlockID reads a block number in base 10, a 0x-prefixed hash or one of
// the tags that are taken here.
func ParseBlockID(text string, tags ...BlockTag) (BlockID, error) {
	for _, tag := range tags {
		if text == string(tag) {
			return BlockID{Tag: tag}, nil
		}
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil && n <= maxBlockNumber && strconv.FormatUint(n, 10) == text {
		return BlockID{Number: &n}, nil
	}
	if hash, err := starknet.ParseFelt(text); err == nil {
		return BlockID{Hash: &hash}, nil
	}
	return BlockID{}, domain.Errorf(domain.CodeInvalidRequest, "%s must be a block number, a 0x-prefixed block hash%s, got %s.", domain.Argument("block"), orTags(tags), domain.Quote(text))
}

func orTags(tags []BlockTag) (text string) {
	for i, tag := range tags {
		separator := ", "
		if i == len(tags)-1 {
			separator = " or "
		}
		text += separator + string(tag)
	}
	return text
}

// String returns the canonical text.
func (id BlockID) String() string {
	switch {
	case id.Number != nil:
		return strconv.FormatUint(*id.Number, 10)
	case id.Hash != nil:
		return id.Hash.String()
	}
	return string(id.Tag)
}
