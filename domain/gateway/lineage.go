package gateway

import (
	"context"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"astrolabe/cache"
	"astrolabe/starknet"
)

// lineageSize is how many blocks a lineage remembers: more than a subscription
// may go back, so that replays do not displace the newest blocks.
const lineageSize = 2048

// lineage remembers blocks by their hashes, also those that left the chain, so
// that after an outage the block is found at which the chain has forked. All
// topics of a chain share it.
type lineage struct {
	node   Node
	blocks *lru.Cache[starknet.Felt, block]
	turn   chan struct{} // holds a token while headers are fetched

	mu       sync.Mutex
	learning map[starknet.Felt]bool // blocks whose ancestors are being fetched
}

func newLineage(node Node) *lineage {
	return &lineage{node: node, blocks: cache.Must(lru.New[starknet.Felt, block](lineageSize)),
		turn: make(chan struct{}, 1), learning: map[starknet.Felt]bool{}}
}

// add remembers a block, and fetches those of its ancestors that are missing.
func (l *lineage) add(b block) {
	if !b.Hash.IsZero() {
		l.blocks.Add(b.Hash, b)
		l.learn(b.Hash)
	}
}

// learn fetches a block and its ancestors in the background, up to maxKnown of
// them, as far as they are missing. If the node fails, the next block tries again.
func (l *lineage) learn(hash starknet.Felt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, missing := l.missing(hash); !missing || l.learning[hash] {
		return
	}
	l.learning[hash] = true
	go l.fetch(hash)
}

// fetch fetches the missing ancestors of one block at a time, so that nothing is
// fetched twice.
func (l *lineage) fetch(hash starknet.Felt) {
	l.turn <- struct{}{}
	for next, missing := l.missing(hash); missing; next, missing = l.missing(hash) {
		h, err := headerAt(context.Background(), l.node, map[string]any{"block_hash": next})
		if err != nil || h.Hash != next {
			break
		}
		l.blocks.Add(next, h.block)
	}
	<-l.turn
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.learning, hash)
}

// missing returns the first of a block and its ancestors that is not known.
func (l *lineage) missing(hash starknet.Felt) (starknet.Felt, bool) {
	for range maxKnown {
		b, ok := l.blocks.Get(hash)
		if !ok {
			return hash, true
		}
		if b.Number == 0 {
			break
		}
		hash = b.Parent
	}
	return starknet.Felt{}, false
}

// parent returns the block before another one, false if it is not known.
func (l *lineage) parent(hash starknet.Felt) (block, bool) {
	b, ok := l.blocks.Get(hash)
	if !ok || b.Number == 0 {
		return block{}, false
	}
	return block{Number: b.Number - 1, Hash: b.Parent}, true
}
