package starknet

import "fmt"

// Version is a transaction's version. A transaction that is only meant for estimation or
// simulation carries the query bit, 2^128, which keeps its signature from being replayed.
type Version struct {
	Number uint64
	Query  bool
}

// Felt returns the version as it is hashed and sent.
func (v Version) Felt() Felt {
	f := FeltFromUint64(v.Number)
	if v.Query {
		f[15] = 1
	}
	return f
}

// String returns the version as it is sent, for example 0x3.
func (v Version) String() string { return v.Felt().String() }

// MarshalText implements encoding.TextMarshaler.
func (v Version) MarshalText() ([]byte, error) { return v.Felt().MarshalText() }

// UnmarshalText reads the version's felt; anything but a number below 2^64 with or
// without the query bit is ErrFeltRange.
func (v *Version) UnmarshalText(text []byte) error {
	f, err := parseFelt(text)
	if err != nil {
		return err
	}
	query := f[15] == 1
	if query {
		f[15] = 0
	}
	n, ok := f.Uint64()
	if !ok {
		return fmt.Errorf("%w: transaction version %s", ErrFeltRange, text)
	}
	*v = Version{n, query}
	return nil
}
