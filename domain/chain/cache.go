package chain

import (
	"sync"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Cache remembers facts of finalized blocks, which never change by themselves,
// within a bounded weight; what was not asked for the longest time goes first.
// It holds facts and no answers: finality and tier are stamped when a fact is
// shown.
//
// An operator can change final facts. Each such change begins a new epoch, and
// a fact counts in the epoch in which it was read only. While nobody listens
// for new epochs nothing is remembered.
type Cache struct {
	mu        sync.RWMutex
	listening bool
	epochs    map[domain.Chain]uint64 // the newest that was heard of
	facts     *cache.Weighted[CacheKey, cachedFact]
}

// CacheKey names a remembered fact. Which fields say so depends on the kind.
type CacheKey struct {
	Kind   CacheKind
	Chain  domain.Chain
	Hash   starknet.Felt
	Number uint64
	Limit  int
}

// CacheKind tells the kinds of facts apart.
type CacheKind uint8

// The kinds of facts that are remembered.
const (
	CachedBlockByNumber CacheKind = iota // by number: *facts.Header
	CachedBlockByHash                    // by hash: *facts.Header
	CachedBlockLines                     // by hash and limit: *domain.Page[TxLine]
	CachedTransaction                    // by hash: *TxFacts
	CachedDetail                         // by hash and limit: everything of a transaction
	CachedHeader                         // by hash: *facts.Header, which may be of a block that is undone
)

type cachedFact struct {
	epoch uint64
	value any
}

// DefaultCacheWeight is about how many bytes a cache holds if nobody says
// otherwise.
const DefaultCacheWeight = 64 << 20

// entryWeight is about how many bytes an entry takes beside its value.
const entryWeight = 250

// NewCache makes an empty cache of a capacity in bytes, about.
func NewCache(capacity int) *Cache {
	return &Cache{epochs: map[domain.Chain]uint64{}, facts: cache.NewWeighted[CacheKey, cachedFact](capacity)}
}

// Listening says whether new epochs are heard of from now on. What was
// remembered before is not trusted.
func (c *Cache) Listening(up bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listening = up
	c.facts.Purge()
}

// Advance says that a new epoch of a chain has begun: facts that were read in
// an earlier one are neither remembered nor recalled, also by requests that do
// not know of it yet.
func (c *Cache) Advance(name domain.Chain, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epochs[name] = max(c.epochs[name], epoch)
}

// Recall returns a fact that was remembered in the horizon's epoch.
func (c *Cache) Recall(key CacheKey, h Horizon) (any, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	fact, known := c.facts.Get(key)
	if !known || fact.epoch != h.Epoch || h.Epoch < c.epochs[key.Chain] {
		return nil, false
	}
	return fact.value, true
}

// Remember keeps a fact of a block, whose value weighs about so many bytes and
// is not changed any more. The horizon MUST have been read before the fact:
// only then was a block that it calls finalized final when the fact was read.
// Facts of other blocks are not kept.
func (c *Cache) Remember(key CacheKey, h Horizon, block uint64, value any, weight int) {
	if h.Tier(block) == FinalizedTier {
		c.put(key, h, value, weight)
	}
}

// RememberHeader keeps the header of a block that is not final. It is what its
// hash says, but only a horizon tells whether the block is still there: whoever
// recalls it MUST have come to the hash from a horizon.
func (c *Cache) RememberHeader(name domain.Chain, header *facts.Header, h Horizon) {
	if h.Tier(header.Number) == HeadTier {
		c.put(CacheKey{Kind: CachedHeader, Chain: name, Hash: header.Hash}, h, header, headerWeight)
	}
}

func (c *Cache) put(key CacheKey, h Horizon, value any, weight int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.listening && h.Epoch >= c.epochs[key.Chain] {
		c.facts.Add(key, cachedFact{h.Epoch, value}, weight+entryWeight)
	}
}
