package transaction

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// PreviewTransfers is the number of transfers in a preview.
const PreviewTransfers = 8

// Preview is the summary of a transaction with its first transfers.
type Preview struct {
	*chain.TxOutline                  // nil: the index does not hold it
	Moved            []token.Transfer // the first of them
	Truncated        bool             // there are more
	// Coverage says whether all transfers of the transaction are known, or
	// whether all blocks that may hold it are indexed.
	Coverage domain.Coverage
}

// Previews returns a preview of each transaction in the order of the hashes.
func (s *Details) Previews(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*Preview, error) {
	for range attempts {
		outlines, err := s.Transactions.Outlines(ctx, c, hashes)
		if err != nil {
			return nil, err
		}
		previews, err := s.previews(ctx, c, outlines)
		if err != nil {
			return nil, err
		}
		same, err := s.still(ctx, c, chain.HeadTier, headBlocks(outlines)...)
		if err != nil {
			return nil, err
		}
		if same {
			return previews, nil
		}
	}
	return nil, chain.Replaced()
}

// previews adds the transfers to outlines.
func (s *Details) previews(ctx context.Context, c domain.Chain, outlines []*chain.TxOutline) ([]*Preview, error) {
	horizon, err := s.Statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	previews := make([]*Preview, len(outlines))
	var (
		places, all []chain.TxPlace
		owners, of  []*Preview
	)
	for i, outline := range outlines {
		if outline == nil {
			previews[i] = &Preview{Coverage: horizon.History()}
			continue
		}
		previews[i] = &Preview{TxOutline: outline}
		all, of = append(all, outline.Place), append(of, previews[i])
		if outline.Transfers > 0 {
			places, owners = append(places, outline.Place), append(owners, previews[i])
		}
	}
	pages, err := s.Transfers.OfTransactions(ctx, c, places, domain.PageRequest{Limit: PreviewTransfers})
	if err != nil {
		return nil, err
	}
	for i, page := range pages {
		owners[i].Moved, owners[i].Truncated = page.Items, page.Next != nil
	}
	coverage, err := s.Transfers.CoverageOfTransactions(ctx, c, all)
	for i := range coverage {
		of[i].Coverage = coverage[i]
	}
	return previews, err
}

// headBlocks are the blocks of the transactions that can still be replaced.
func headBlocks(outlines []*chain.TxOutline) (blocks []domain.BlockRef) {
	for _, outline := range outlines {
		if outline != nil && outline.Tier == chain.HeadTier && !slices.Contains(blocks, outline.Block()) {
			blocks = append(blocks, outline.Block())
		}
	}
	return blocks
}
