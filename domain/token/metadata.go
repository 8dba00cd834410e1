package token

import (
	"context"
	"fmt"
	"math"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Metadata is what a token says of itself. A field is nil when the contract
// does not say it, or says nothing that can be shown.
type Metadata struct {
	Name     *string
	Symbol   *string
	Decimals *uint8
}

// Description is what one token said.
type Description struct {
	Token starknet.Felt
	Metadata
}

// Reading is what tokens said on the state after one block.
type Reading struct {
	Block  domain.BlockRef
	At     time.Time // when they were asked
	Next   time.Time // when they are to be asked again
	Tokens []Description
}

// Views are a node's contracts, as far as they can be asked without calldata.
type Views interface {
	// View calls a view on the state after the block with the hash at. It
	// answers false when the contract has no such view or fails in it. Every
	// failure to learn that is an error.
	View(ctx context.Context, at, contract, selector starknet.Felt) (result []starknet.Felt, answered bool, err error)
}

var (
	nameView     = starknet.Selector("name")
	symbolView   = starknet.Selector("symbol")
	decimalsView = starknet.Selector("decimals")
)

// Describe asks a token for its metadata on the state after a block. The
// metadata is whole, or there is an error.
func Describe(ctx context.Context, node Views, at, contract starknet.Felt) (Metadata, error) {
	var m Metadata
	name, err := ask(ctx, node, at, contract, nameView, ReadText)
	if err != nil {
		return m, fmt.Errorf("name of token %s: %w", contract, err)
	}
	symbol, err := ask(ctx, node, at, contract, symbolView, ReadText)
	if err != nil {
		return m, fmt.Errorf("symbol of token %s: %w", contract, err)
	}
	decimals, err := ask(ctx, node, at, contract, decimalsView, ReadDecimals)
	if err != nil {
		return m, fmt.Errorf("decimals of token %s: %w", contract, err)
	}
	return Metadata{name, symbol, decimals}, nil
}

// ask calls a view and reads its result; nil stands for none that read takes.
func ask[T any](ctx context.Context, node Views, at, contract, selector starknet.Felt, read func([]starknet.Felt) (T, bool)) (*T, error) {
	result, answered, err := node.View(ctx, at, contract, selector)
	if err != nil || !answered {
		return nil, err
	}
	value, ok := read(result)
	if !ok {
		return nil, nil
	}
	return &value, nil
}

// ReadDecimals reads the number of decimals that a view returned: one felt of
// at most 255, whether it was declared as felt or as u8.
func ReadDecimals(result []starknet.Felt) (uint8, bool) {
	if len(result) != 1 {
		return 0, false
	}
	n, ok := result[0].Count(math.MaxUint8)
	return uint8(n), ok //nolint:gosec // At most 255.
}
