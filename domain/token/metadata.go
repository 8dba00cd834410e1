package token

import (
	"context"
	"fmt"
	"math"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Metadata is the self-declared metadata of a token. A field is nil if the
// contract does not have it or its value cannot be displayed.
type Metadata struct {
	Name     *string
	Symbol   *string
	Decimals *uint8
}

// Description is the metadata of one token.
type Description struct {
	Token starknet.Felt
	Metadata
}

// Reading is the metadata of tokens at the state after one block.
type Reading struct {
	Block  domain.BlockRef
	At     time.Time // when they were read
	Next   time.Time // when to read them again
	Tokens []Description
}

// Views calls view functions without calldata on a node.
type Views interface {
	// View calls a view function at the state after the block with the hash at.
	// It is false if the contract has no such view or the call reverts. All
	// other failures are errors.
	View(ctx context.Context, at, contract, selector starknet.Felt) (result []starknet.Felt, answered bool, err error)
}

var (
	nameView     = starknet.Selector("name")
	symbolView   = starknet.Selector("symbol")
	decimalsView = starknet.Selector("decimals")
)

// Describe reads the metadata of a token at the state after a block: all of it,
// or an error.
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

// ask calls a view and parses its result; nil if read rejects it.
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
