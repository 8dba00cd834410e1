package starknet

import (
	"database/sql/driver"
	"fmt"
)

// Value implements driver.Valuer: a felt is stored as bytea of exactly 32 bytes.
func (f Felt) Value() (driver.Value, error) { return f[:], nil }

// Scan implements sql.Scanner for a bytea of 32 bytes. NULL is an error: a column
// that may be NULL is read through a *Felt or sql.Null[Felt].
func (f *Felt) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("%w: cannot scan a %T", ErrMalformedFelt, src)
	}
	return f.ScanBytes(b)
}

// ScanBytes reads a bytea of 32 bytes; the pgx driver calls it directly.
func (f *Felt) ScanBytes(b []byte) error {
	v, err := FeltFromBytes(b)
	if err != nil {
		return err
	}
	*f = v
	return nil
}

// BytesValue returns the 32 bytes to store; the pgx driver calls it directly.
func (f Felt) BytesValue() ([]byte, error) { return f[:], nil }
