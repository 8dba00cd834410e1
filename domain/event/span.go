package event

import (
	"cmp"
	"math"

	"astrolabe/domain"
)

// Place is the position of an event in the chain.
type Place struct {
	Block   uint64
	Tx, Log int
}

// Compare orders places from the oldest to the newest.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.Block, other.Block), cmp.Compare(p.Tx, other.Tx), cmp.Compare(p.Log, other.Log))
}

// Span is a stretch of the chain: From is its oldest place, and Before is the
// place that follows its newest one.
type Span struct {
	From, Before Place
}

// lastBlock is beyond every block that can be stored.
const lastBlock = math.MaxInt32

// spanOf returns the part of a block range (both ends inclusive) that a page
// reads, from the newest block or from the end of the previous page.
func spanOf(from, to *uint64, after domain.Position) Span {
	s := Span{Before: Place{Block: lastBlock}}
	if from != nil {
		s.From.Block = min(*from, lastBlock)
	}
	if to != nil {
		s.Before.Block = min(*to, lastBlock-1) + 1
	}
	if len(after) == 3 { // block, transaction and log, as position wrote them
		s.Before = Place{Block: after[0], Tx: int(after[1]), Log: int(after[2])}
	}
	return s
}

func (p Place) position() domain.Position {
	return domain.Position{p.Block, uint64(p.Tx), uint64(p.Log)}
}
