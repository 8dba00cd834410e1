package chain

import (
	"context"
	"math"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// BlockFilter narrows the list of blocks. Its zero value narrows nothing and
// lists the newest first.
type BlockFilter struct {
	From, To       *uint64    // blocks, both included
	Since, Through *time.Time // when they were made, both included
	OldestFirst    bool
}

// BlockRange is blocks, both ends included; it is empty when it is upside down.
type BlockRange struct{ From, To uint64 }

// check returns invalid_request for an empty range.
func (f BlockFilter) check() error {
	switch {
	case f.From != nil && f.To != nil && *f.From > *f.To:
		return domain.Errorf(domain.CodeInvalidRequest, "%s (%d) must not be greater than %s (%d).", domain.Argument("fromBlock"), *f.From, domain.Argument("toBlock"), *f.To)
	case f.Since != nil && f.Through != nil && f.Since.After(*f.Through):
		return domain.Errorf(domain.CodeInvalidRequest, "%s must not be after %s.", domain.Argument("fromTime"), domain.Argument("toTime"))
	}
	return nil
}

// List returns a page of a chain's blocks that a filter selects, in its order,
// and whether the index holds all of them.
func (s *Blocks) List(ctx context.Context, c domain.Chain, f BlockFilter, page domain.PageRequest) (found domain.Page[*Block], coverage domain.Coverage, err error) {
	if err := f.check(); err != nil {
		return found, coverage, err
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return found, coverage, err
	}
	blocks, err := s.selected(ctx, c, f)
	if err != nil {
		return found, coverage, err
	}
	coverage = f.coverage(horizon, blocks)
	if page.After != nil && !blocks.follow(page.After, f.OldestFirst) {
		return found, coverage, nil
	}
	headers, err := s.between(ctx, c, blocks, f.OldestFirst, page.Limit, horizon)
	if err != nil {
		return found, coverage, err
	}
	list, stamped := make([]*Block, len(headers)), make([]Block, len(headers))
	for i, header := range headers {
		stamped[i] = horizon.stamp(header)
		list[i] = &stamped[i]
	}
	return domain.CutPage(list, page.Limit, (*Block).Position), coverage, nil
}

// between returns the headers of a range as the store does, from memory if they
// are all there.
func (s *Blocks) between(ctx context.Context, c domain.Chain, blocks BlockRange, oldestFirst bool, limit int, horizon Horizon) ([]*facts.Header, error) {
	if !oldestFirst {
		if known := s.recalled(c, blocks, limit, horizon); known != nil {
			return known, nil
		}
	}
	headers, err := s.store.HeadersBetween(ctx, c, blocks, oldestFirst, limit)
	for _, header := range headers {
		s.remember(c, header, horizon)
		s.cache.RememberHeader(c, header, horizon)
	}
	return headers, err
}

// recalled returns the newest headers of a range, or nil where one of them is
// not remembered. Blocks that are not final are those that lead to the newest
// one that the horizon has seen, from each to its parent.
func (s *Blocks) recalled(c domain.Chain, blocks BlockRange, limit int, horizon Horizon) (headers []*facts.Header) {
	seen := horizon.Coverage
	if seen == nil || seen.Finalized == nil || seen.Tip == nil {
		return nil
	}
	first, last, hash := max(blocks.From, seen.First), min(blocks.To, seen.Last), *seen.Tip
	if last < first {
		return nil
	}
	for number := seen.Last; number >= first && number <= seen.Last && len(headers) <= limit; number-- {
		if number <= *seen.Finalized && number > last {
			number, hash = last, starknet.Felt{} // any final block is known by its number
		}
		header := s.recall(c, number, hash, horizon)
		if header == nil {
			return nil
		}
		if hash = header.ParentHash; number <= last {
			headers = append(headers, header)
		}
	}
	return headers
}

// recall returns the header of a block, nil if it is not remembered. The hash is
// zero where it is not known.
func (s *Blocks) recall(c domain.Chain, number uint64, hash starknet.Felt, horizon Horizon) *facts.Header {
	key := CacheKey{Kind: CachedHeader, Chain: c, Hash: hash}
	if horizon.Tier(number) == FinalizedTier {
		key = CacheKey{Kind: CachedBlockByNumber, Chain: c, Number: number}
	}
	known, ok := s.cache.Recall(key, horizon)
	if !ok {
		return nil
	}
	if header := known.(*facts.Header); hash.IsZero() || header.Hash == hash {
		return header
	}
	return nil
}

// coverage returns whether the index has all blocks that the filter selects. A
// time limits the range only if it lies between indexed blocks.
func (f BlockFilter) coverage(h Horizon, selected BlockRange) domain.Coverage {
	from, to := f.From, f.To
	if h.Coverage != nil && selected != noBlocks {
		if f.Since != nil && selected.From > h.Coverage.First {
			from = &selected.From
		}
		if f.Through != nil && selected.To < h.Coverage.Last {
			to = &selected.To
		}
	}
	return h.Between(from, to)
}

// noBlocks is the range of a time beyond all blocks.
var noBlocks = BlockRange{From: 1}

// Position is the place of a block in every list of blocks.
func (b *Block) Position() domain.Position { return domain.Position{b.Number} }

// selected returns the blocks that a filter means. Blocks are never older than
// those before them, so that times are blocks, too.
func (s *Blocks) selected(ctx context.Context, c domain.Chain, f BlockFilter) (BlockRange, error) {
	blocks := BlockRange{To: math.MaxInt32}
	if f.From != nil {
		blocks.From = *f.From
	}
	if f.To != nil {
		blocks.To = min(*f.To, blocks.To)
	}
	if f.Since != nil {
		_, after, err := s.store.HeadersAtTime(ctx, c, f.Since.Unix(), secondAfter(*f.Since))
		if err != nil || after == nil {
			return noBlocks, err
		}
		blocks.From = max(blocks.From, after.Number)
	}
	if f.Through != nil {
		before, _, err := s.store.HeadersAtTime(ctx, c, f.Through.Unix(), secondAfter(*f.Through))
		if err != nil || before == nil {
			return noBlocks, err
		}
		blocks.To = min(blocks.To, before.Number)
	}
	return blocks, nil
}

// follow narrows a range to the blocks after a position; false if there are
// none.
func (r *BlockRange) follow(after domain.Position, oldestFirst bool) bool {
	switch number := after[0]; {
	case oldestFirst:
		r.From = max(r.From, number+1)
	case number == 0:
		return false
	default:
		r.To = min(r.To, number-1)
	}
	return true
}
