package chain

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Block is a block header with its finality. The header is shared and must not
// be modified.
type Block struct {
	*facts.Header
	Finality FinalityStatus
	Tier     Tier
}

// Ref names the block beyond doubt.
func (b *Block) Ref() domain.BlockRef { return domain.BlockRef{Number: b.Number, Hash: b.Hash} }

// Time returns the block's timestamp.
func (b *Block) Time() time.Time { return time.Unix(int64(b.Timestamp), 0).UTC() }

// KnownSequencer returns the sequencer, nil if the header does not record it:
// the oldest ones have zero instead.
func (b *Block) KnownSequencer() *starknet.Felt {
	if b.Sequencer.IsZero() {
		return nil
	}
	return &b.Sequencer
}

// BlockStore reads the headers that readers can see.
type BlockStore interface {
	// Headers returns the header of each block, nil where there is none.
	Headers(ctx context.Context, c domain.Chain, ids []BlockID) ([]*facts.Header, error)
	// HeadersBetween returns the headers of a range, the newest first or the
	// oldest first: limit of them and one more, if there are as many.
	HeadersBetween(ctx context.Context, c domain.Chain, blocks BlockRange, oldestFirst bool, limit int) ([]*facts.Header, error)
	// HeadersAtTime returns the header of the newest block whose Unix time is
	// not after one second, and that of the oldest whose time is not before
	// another; nil where there is none.
	HeadersAtTime(ctx context.Context, c domain.Chain, notAfter, notBefore int64) (before, after *facts.Header, err error)
}

// Blocks answers which blocks there are.
type Blocks struct {
	store    BlockStore
	forks    ForkStore
	statuses *Statuses
	cache    *Cache
}

// NewBlocks makes the service.
func NewBlocks(store BlockStore, forks ForkStore, statuses *Statuses, cache *Cache) *Blocks {
	return &Blocks{store, forks, statuses, cache}
}

// ByID returns each block, nil where the index has none of that name. Only the
// tag Latest is taken.
func (s *Blocks) ByID(ctx context.Context, c domain.Chain, ids []BlockID) ([]*Block, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	return s.byID(ctx, c, ids, horizon)
}

func (s *Blocks) byID(ctx context.Context, c domain.Chain, ids []BlockID, horizon Horizon) ([]*Block, error) {
	blocks := make([]*Block, len(ids))
	var (
		asked  []BlockID
		places []int
	)
	for i, id := range ids {
		if id.Tag == "" {
			if known, ok := s.cache.Recall(blockKey(c, id), horizon); ok {
				blocks[i] = horizon.block(known.(*facts.Header))
				continue
			}
		}
		asked, places = append(asked, id), append(places, i)
	}
	if len(asked) == 0 {
		return blocks, nil
	}
	headers, err := s.store.Headers(ctx, c, asked)
	if err != nil {
		return nil, err
	}
	for i, header := range headers {
		if header != nil {
			blocks[places[i]] = horizon.block(header)
			s.remember(c, header, horizon)
		}
	}
	return blocks, nil
}

// block stamps a header with how far the chain has come.
func (h Horizon) block(header *facts.Header) *Block { return new(h.stamp(header)) }

func (h Horizon) stamp(header *facts.Header) Block {
	return Block{header, h.Finality(header.Number), h.Tier(header.Number)}
}

func blockKey(c domain.Chain, id BlockID) CacheKey {
	if id.Hash != nil {
		return CacheKey{Kind: CachedBlockByHash, Chain: c, Hash: *id.Hash}
	}
	key := CacheKey{Kind: CachedBlockByNumber, Chain: c}
	if id.Number != nil {
		key.Number = *id.Number
	}
	return key
}

// headerWeight is about how many bytes a header takes.
const headerWeight = 500

func (s *Blocks) remember(c domain.Chain, header *facts.Header, horizon Horizon) {
	for _, id := range [...]BlockID{{Number: &header.Number}, {Hash: &header.Hash}} {
		s.cache.Remember(blockKey(c, id), horizon, header.Number, header, headerWeight)
	}
}

// At returns the block that an id names. It is not_found when the index has
// none of that name.
func (s *Blocks) At(ctx context.Context, c domain.Chain, id BlockID) (*Block, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	blocks, err := s.byID(ctx, c, []BlockID{id}, horizon)
	if err != nil {
		return nil, err
	}
	if blocks[0] == nil {
		return nil, absentBlock(id, horizon)
	}
	return blocks[0], nil
}

// absentBlock is the not_found of a block that is not indexed.
func absentBlock(id BlockID, h Horizon) error {
	switch {
	case h.Coverage == nil:
		return domain.Errorf(domain.CodeNotFound, "No block of this chain is indexed yet.")
	case id.Number != nil && *id.Number < h.Coverage.First:
		return domain.Errorf(domain.CodeNotFound, "Block %d is not indexed: the index begins with block %d.", *id.Number, h.Coverage.First)
	}
	return domain.Errorf(domain.CodeNotFound, "Block %s is not indexed.", id)
}

// Still reports whether all blocks are still indexed. Callers that read data of
// blocks in several steps call it at the end, because a reorg can replace
// blocks of the head tier in between.
func (s *Blocks) Still(ctx context.Context, c domain.Chain, refs []domain.BlockRef) (bool, error) {
	ids := make([]BlockID, len(refs))
	for i := range refs {
		ids[i] = BlockID{Number: &refs[i].Number}
	}
	headers, err := s.store.Headers(ctx, c, ids)
	if err != nil {
		return false, err
	}
	for i, header := range headers {
		if header == nil || header.Hash != refs[i].Hash {
			return false, nil
		}
	}
	return true, nil
}

// NumberID names a block by its number.
func NumberID(number uint64) BlockID { return BlockID{Number: &number} }

// HashID names a block by its hash.
func HashID(hash starknet.Felt) BlockID { return BlockID{Hash: &hash} }
