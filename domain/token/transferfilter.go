package token

import (
	"math"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Direction is the direction of transfers relative to an address. A transfer to
// itself has both.
type Direction string

// The directions.
const (
	AnyDirection Direction = "any"
	Incoming     Direction = "in"
	Outgoing     Direction = "out"
)

// Directions lists the directions.
var Directions = []Direction{AnyDirection, Incoming, Outgoing}

// MaxFilterValues is how many addresses or tokens a filter of transfers takes.
const MaxFilterValues = 128

// AddressFilter narrows the list of an address' transfers. Its zero value
// narrows nothing.
type AddressFilter struct {
	Direction Direction       // empty: any
	Tokens    []starknet.Felt // empty: all
	From, To  *uint64         // blocks, both included
}

// check returns invalid_request for an empty range.
func (f AddressFilter) check() error {
	if f.From != nil && f.To != nil && *f.From > *f.To {
		return domain.Errorf(domain.CodeInvalidRequest, "%s (%d) must not be greater than %s (%d).", domain.Argument("fromBlock"), *f.From, domain.Argument("toBlock"), *f.To)
	}
	return nil
}

// Window is the part of a transfer list that a page is read from: the transfers
// from block Oldest up to a position.
type Window struct {
	Oldest, Newest uint64
	Tx, Log, Index int // the place is in the block Newest
}

// beyond is above every index of a transaction, an event or a transfer.
const beyond = math.MaxInt16 + 1

// window bounds a page; the blocks are both included.
func window(page domain.PageRequest, from, to *uint64) (Window, error) {
	w := Window{Newest: math.MaxInt32, Tx: beyond, Log: beyond, Index: beyond}
	if to != nil {
		w.Newest = min(*to, w.Newest)
	}
	if from != nil {
		w.Oldest = min(*from, math.MaxInt32)
	}
	switch len(page.After) {
	case 0:
		return w, nil
	case 4:
		w.Newest, w.Tx, w.Log, w.Index = page.After[0], int(page.After[1]), int(page.After[2]), int(page.After[3])
		return w, nil
	}
	return w, domain.InvalidCursor("The cursor is not from a transfer list.")
}
