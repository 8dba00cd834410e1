package chain

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// TxOutline is the summary of a transaction.
type TxOutline struct {
	TxLine
	BlockHash starknet.Felt
	Timestamp uint64 // of the block, in Unix seconds
	// Calls is the number of account calls; nil for other transactions and
	// unknown calldata layouts.
	Calls *int
	// Selector is the entry point of the first call; nil if there is none or it
	// is unknown.
	Selector *starknet.Felt
	// Method is the name of that entry point; empty if no indexed class has it.
	Method    string
	Events    int
	Transfers int
}

// Time returns the block's timestamp.
func (o *TxOutline) Time() time.Time { return time.Unix(int64(o.Timestamp), 0).UTC() }

// Block is the block of the transaction.
func (o *TxOutline) Block() domain.BlockRef {
	return domain.BlockRef{Number: o.Place.Block, Hash: o.BlockHash}
}

// Calling sets how many calls a transaction makes and the entry point of the
// first.
func (o *TxOutline) Calling(tx *facts.Transaction) {
	if tx.Selector != nil {
		o.Selector = tx.Selector
		return
	}
	calls, ok := facts.Calls(tx)
	if !ok {
		return
	}
	o.Calls = new(len(calls))
	if len(calls) > 0 {
		o.Selector = &calls[0].Selector
	}
}

// Outlines returns the outline of each transaction, nil where the index has
// none of that hash.
func (s *Transactions) Outlines(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*TxOutline, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	outlines, err := s.store.Outlines(ctx, c, hashes)
	if err != nil {
		return nil, err
	}
	var selectors []starknet.Felt
	for _, o := range outlines {
		if o == nil {
			continue
		}
		o.Finality, o.Tier = horizon.Finality(o.Place.Block), horizon.Tier(o.Place.Block)
		if o.Selector != nil {
			selectors = append(selectors, *o.Selector)
		}
	}
	names, err := s.Names(ctx, c, selectors)
	if err != nil {
		return nil, err
	}
	for _, o := range outlines {
		if o != nil && o.Selector != nil {
			o.Method = names[*o.Selector]
		}
	}
	return outlines, nil
}

// Names returns the names of entry points. A selector is a hash of its name,
// so that the name which any class has for it is the name.
func (s *Transactions) Names(ctx context.Context, c domain.Chain, selectors []starknet.Felt) (map[starknet.Felt]string, error) {
	known := make(map[starknet.Felt]string, len(selectors))
	var asked []starknet.Felt
	for _, selector := range selectors {
		if _, again := known[selector]; !again {
			known[selector] = ""
			asked = append(asked, selector)
		}
	}
	if len(asked) == 0 {
		return known, nil
	}
	names, err := s.store.FunctionNames(ctx, c, asked)
	if err != nil {
		return nil, err
	}
	keepNames(known, asked, names)
	return known, nil
}

// keepNames keeps the names that selectors are the hash of: one that is too
// long is stored in part.
func keepNames(known map[starknet.Felt]string, selectors []starknet.Felt, names []string) {
	for i, name := range names {
		if name != "" && starknet.Selector(name) == selectors[i] {
			known[selectors[i]] = name
		}
	}
}
