package chain

import (
	"sync"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Cache is an LRU cache of facts of finalized blocks, bounded by weight. It
// holds facts and not responses: finality and tier are set when a fact is
// rendered.
//
// An operator can change final facts, and a verification record changes what is
// said about the events of its class. Each such change starts a new epoch, and
// a fact is valid only in the epoch in which it was read. While the process
// does not listen for new epochs, nothing is cached.
type Cache struct {
	mu        sync.RWMutex
	listening bool
	epochs    map[domain.Chain]uint64 // the newest that was heard of
	facts     *cache.Weighted[CacheKey, cachedFact]
}

// CacheKey identifies a cached fact. The kind determines which fields are set.
type CacheKey struct {
	Kind   CacheKind
	Chain  domain.Chain
	Hash   starknet.Felt
	Number uint64
	Limit  int
}

// CacheKind is the kind of a cached fact.
type CacheKind uint8

// The kinds of facts that are remembered.
const (
	CachedBlockByNumber CacheKind = iota // by number: *facts.Header
	CachedBlockByHash                    // by hash: *facts.Header
	CachedBlockLines                     // by hash and limit: *domain.Page[TxLine]
	CachedTransaction                    // by hash: *TxFacts
	CachedDetail                         // by hash and limit: everything of a transaction
	CachedHeader                         // by hash: *facts.Header, which may be of a block that is undone
	CachedVerified                       // by class hash: bool, whether the class has a verification record
)

type cachedFact struct {
	epoch uint64
	value any
}

// DefaultCacheWeight is the default size of a cache, in approximate bytes.
const DefaultCacheWeight = 64 << 20

// entryWeight is about how many bytes an entry takes beside its value.
const entryWeight = 250

// NewCache makes an empty cache of a capacity in bytes, about.
func NewCache(capacity int) *Cache {
	return &Cache{epochs: map[domain.Chain]uint64{}, facts: cache.NewWeighted[CacheKey, cachedFact](capacity)}
}

// Listening sets whether the process listens for new epochs, and purges the
// cache.
func (c *Cache) Listening(up bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listening = up
	c.facts.Purge()
}

// Advance starts a new epoch of a chain: facts of earlier epochs are neither
// cached nor returned, also to requests that began before it.
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

// RememberHeader caches the header of a block that is not final. A header never
// changes under its hash, but a reorg can remove the block: callers MUST take
// the hash from a current horizon.
func (c *Cache) RememberHeader(name domain.Chain, header *facts.Header, h Horizon) {
	if h.Tier(header.Number) == HeadTier {
		c.put(CacheKey{Kind: CachedHeader, Chain: name, Hash: header.Hash}, h, header, headerWeight)
	}
}

// RememberVerified caches whether a class has a verification record. A new
// record starts a new epoch. The horizon MUST have been read before the record.
func (c *Cache) RememberVerified(name domain.Chain, class starknet.Felt, h Horizon, verified bool) {
	c.put(CacheKey{Kind: CachedVerified, Chain: name, Hash: class}, h, verified, 0)
}

func (c *Cache) put(key CacheKey, h Horizon, value any, weight int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.listening && h.Epoch >= c.epochs[key.Chain] {
		c.facts.Add(key, cachedFact{h.Epoch, value}, weight+entryWeight)
	}
}
