package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// NewBlock is a message of the stream of blocks.
type NewBlock struct {
	news
	Block *Block
}

// NewBlocks follows the blocks of a chain.
func (r subscriptionResolver) NewBlocks(ctx context.Context, id domain.Chain, after *string) (<-chan *NewBlock, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	return followFrom(ctx, p, after, nil, 1, p.blocksFrom)
}

// blocksFrom takes blocks from the tip, and reads those that are older.
func (p part) blocksFrom(ctx context.Context, t *tip, from domain.Position) (found[NewBlock], error) {
	blocks, shown := t.from(from[0])
	if !shown {
		err := p.h.reads(ctx, func(ctx context.Context) error {
			page, _, err := p.h.Blocks.List(ctx, p.chain, chain.BlockFilter{From: &from[0], OldestFirst: true}, domain.PageRequest{Limit: batchSize})
			blocks = page.Items
			return err
		})
		if err != nil {
			return found[NewBlock]{}, err
		}
	}
	next := domain.Position{max(from[0], t.next)}
	if n := len(blocks); n > 0 {
		next = blocks[n-1].Position().Following()
	}
	return found[NewBlock]{
		Batch: domain.Batch[*NewBlock]{Next: next, Items: convert(p.newBlocks(blocks), func(b *Block) *NewBlock { return &NewBlock{Block: b} })},
		at:    func(i int) domain.Position { return blocks[i].Position() }, sure: shown,
	}, nil
}
