package model

import (
	"database/sql/driver"
	"slices"

	"astrolabe/starknet"
)

// Felts is a list of felts, stored as one bytea with 32 bytes for each. An
// empty list is nil.
type Felts []starknet.Felt

// Value implements driver.Valuer.
func (l Felts) Value() (driver.Value, error) {
	packed := make([]byte, 0, 32*len(l))
	for i := range l {
		packed = append(packed, l[i][:]...)
	}
	return packed, nil
}

// Scan implements sql.Scanner.
func (l *Felts) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b)%32 != 0 {
		return &ValueError{Type: "a list of felts", Value: src}
	}
	*l = nil
	if len(b) == 0 {
		return nil
	}
	list := make(Felts, len(b)/32)
	for i := range list {
		if err := list[i].ScanBytes(b[32*i : 32*i+32]); err != nil {
			return &ValueError{Type: "a list of felts", Value: src}
		}
	}
	*l = list
	return nil
}

// FeltNumber is a felt that is stored as a numeric, so that SQL can calculate
// with it.
type FeltNumber starknet.Felt

// Value implements driver.Valuer.
func (n FeltNumber) Value() (driver.Value, error) { return starknet.Uint256(n).Value() }

// Scan implements sql.Scanner.
func (n *FeltNumber) Scan(src any) error {
	var number starknet.Uint256
	if err := number.Scan(src); err != nil {
		return &ValueError{Type: "a felt", Value: src}
	}
	felt, err := starknet.FeltFromBytes(number[:])
	if err != nil {
		return &ValueError{Type: "a felt", Value: src}
	}
	*n = FeltNumber(felt)
	return nil
}

// Felt returns a felt that may be absent.
func (n *FeltNumber) Felt() *starknet.Felt { return (*starknet.Felt)(n) }

// Bytes converts felts to a bytea[] argument.
func Bytes(felts []starknet.Felt) [][]byte {
	list := make([][]byte, len(felts))
	for i := range felts {
		list[i] = felts[i][:]
	}
	return list
}

// SplitPayload returns the keys and the data of a stored event. The first key
// is stored as a selector; the payload is the other keys, then the data. It
// returns false if the payload has fewer keys than the event counts.
func SplitPayload(selector *starknet.Felt, count Index, payload Felts) (keys, data []starknet.Felt, ok bool) {
	felts := []starknet.Felt(payload)
	if selector != nil {
		felts = slices.Insert(felts, 0, *selector)
	}
	if int(count) > len(felts) || (selector == nil) != (count == 0) {
		return nil, nil, false
	}
	return felts[:count:count], felts[count:], true
}
