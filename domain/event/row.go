package event

import (
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Row is an event with its position and decoding.
type Row struct {
	Block     uint64
	Timestamp uint64 // of the block, in Unix seconds
	Tx        int
	Log       int // within the transaction
	TxHash    starknet.Felt
	Address   starknet.Felt // the contract that emitted it
	Keys      []starknet.Felt
	Data      []starknet.Felt
	Decoding
}

// Time returns the block's timestamp.
func (r *Row) Time() time.Time { return time.Unix(int64(r.Timestamp), 0).UTC() }

// Topic returns the key of a position, nil when the event has none there.
func (r *Row) Topic(position int) *starknet.Felt {
	if position >= len(r.Keys) {
		return nil
	}
	return &r.Keys[position]
}

// place returns the position of the event.
func (r Row) place() Place { return Place{Block: r.Block, Tx: r.Tx, Log: r.Log} }

// Position is the place of a row in every list of events.
func (r Row) Position() domain.Position { return r.place().position() }
