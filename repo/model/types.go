package model

import (
	"database/sql/driver"
	"fmt"
	"math"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ValueError reports an invalid value in a column: the row is damaged.
type ValueError struct {
	Type  string // what was expected
	Value any    // what was stored; nil for NULL
}

// Error implements error.
func (e *ValueError) Error() string {
	if e.Value == nil {
		return fmt.Sprintf("NULL where %s is expected", e.Type)
	}
	return fmt.Sprintf("%v (%T) is not %s", e.Value, e.Value, e.Type)
}

// integer reads an integer column that must be within limits.
func integer(what string, src any, least, most int64) (int64, error) {
	v, ok := src.(int64)
	if !ok || v < least || v > most {
		return 0, &ValueError{Type: what, Value: src}
	}
	return v, nil
}

// Chain is a chain, stored as a smallint.
type Chain domain.Chain

// Code returns the number under which a chain's rows are stored. It is part of
// a statement's text, so that plans only include that chain's partitions.
func Code(c domain.Chain) int {
	if c == domain.Mainnet {
		return 1
	}
	return 2
}

// Value implements driver.Valuer.
func (c Chain) Value() (driver.Value, error) { return int64(Code(domain.Chain(c))), nil }

// Scan implements sql.Scanner.
func (c *Chain) Scan(src any) error {
	code, err := integer("a chain", src, 1, int64(len(domain.Chains)))
	if err == nil {
		*c = Chain(domain.Chains[code-1])
	}
	return err
}

// BlockNumber is the number of a block, stored as an integer.
type BlockNumber uint64

// Value implements driver.Valuer.
func (n BlockNumber) Value() (driver.Value, error) {
	if n > math.MaxInt32 {
		return nil, &ValueError{Type: "a block number", Value: uint64(n)}
	}
	return int64(n), nil
}

// Scan implements sql.Scanner.
func (n *BlockNumber) Scan(src any) error {
	v, err := integer("a block number", src, 0, math.MaxInt32)
	*n = BlockNumber(v)
	return err
}

// Uint64 returns the number of a block that may be absent.
func (n *BlockNumber) Uint64() *uint64 {
	if n == nil {
		return nil
	}
	return new(uint64(*n))
}

// ClipBlock converts a block number to an argument. It clips at the largest
// number that the column can hold, above which there are no blocks.
func ClipBlock(number uint64) int32 { return int32(min(number, math.MaxInt32)) }

// Index is a position, stored as a smallint: of a transaction in its block, of
// an event in its transaction, of a transfer in its event.
type Index int

// Value implements driver.Valuer.
func (i Index) Value() (driver.Value, error) {
	if i < 0 || i > math.MaxInt16 {
		return nil, &ValueError{Type: "a position", Value: int(i)}
	}
	return int64(i), nil
}

// Scan implements sql.Scanner.
func (i *Index) Scan(src any) error {
	v, err := integer("a position", src, 0, math.MaxInt16)
	*i = Index(v)
	return err
}

// Int returns a position that may be absent.
func (i *Index) Int() *int {
	if i == nil {
		return nil
	}
	return new(int(*i))
}

// ID identifies an address, a selector or a class in the rows that refer to it.
type ID int32

// Value implements driver.Valuer.
func (id ID) Value() (driver.Value, error) { return int64(id), nil }

// Scan implements sql.Scanner.
func (id *ID) Scan(src any) error {
	v, err := integer("an id", src, 1, math.MaxInt32)
	*id = ID(v)
	return err
}

// Kinds is a set of activity, stored as a smallint.
type Kinds facts.Kinds

// Value implements driver.Valuer.
func (k Kinds) Value() (driver.Value, error) { return int64(k), nil }

// Scan implements sql.Scanner.
func (k *Kinds) Scan(src any) error {
	v, err := integer("a set of activity", src, 0, math.MaxInt16)
	*k = Kinds(v)
	return err
}

// Decimals is a token's number of decimals, stored as a smallint.
type Decimals uint8

// Value implements driver.Valuer.
func (d Decimals) Value() (driver.Value, error) { return int64(d), nil }

// Scan implements sql.Scanner.
func (d *Decimals) Scan(src any) error {
	v, err := integer("a number of decimals", src, 0, math.MaxUint8)
	*d = Decimals(v)
	return err
}

// Hash is a 256-bit hash that need not be a felt, stored as a bytea of 32
// bytes.
type Hash starknet.Hash256

// Value implements driver.Valuer.
func (h Hash) Value() (driver.Value, error) { return h[:], nil }

// Scan implements sql.Scanner.
func (h *Hash) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(h) {
		return &ValueError{Type: "a hash of 32 bytes", Value: src}
	}
	*h = Hash(b)
	return nil
}
