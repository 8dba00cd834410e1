package privacy

import (
	"fmt"

	"astrolabe/domain/event"
	"astrolabe/starknet"
)

// Place is the position of an event in the chain.
type Place = event.Place

// Watermark returns a place as the text block:tx:log, by which answers are
// reconciled within a block.
func Watermark(p Place) string { return fmt.Sprintf("%d:%d:%d", p.Block, p.Tx, p.Log) }

// PoolPlace is the position of an event of a pool.
type PoolPlace struct {
	Pool starknet.Felt
	At   Place
}
