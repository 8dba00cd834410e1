package chain

import (
	"testing"

	"astrolabe/domain"
)

// final is a horizon of an epoch with everything up to a block finalized.
func final(upTo, epoch uint64) Horizon {
	return Horizon{Coverage: &Coverage{Last: upTo + 10, Finalized: &upTo}, Epoch: epoch}
}

func key(number uint64) CacheKey {
	return CacheKey{Kind: CachedBlockByNumber, Chain: domain.Mainnet, Number: number}
}

func listeningCache(capacity int) *Cache {
	c := NewCache(capacity)
	c.Listening(true)
	return c
}

func TestOnlyFactsOfFinalizedBlocksAreCached(t *testing.T) {
	t.Parallel()
	c := listeningCache(1 << 20)
	for _, block := range []uint64{44, 45, 46} {
		c.Remember(key(block), final(45, 0), block, block, 8)
		if _, known := c.Recall(key(block), final(45, 0)); known != (block <= 45) {
			t.Errorf("block %d: got it cached %v, want %v", block, known, block <= 45)
		}
	}
}

func TestACacheWithoutItsListenerIsBypassed(t *testing.T) {
	t.Parallel()
	c := NewCache(1 << 20)
	h := final(45, 0)
	c.Remember(key(1), h, 1, "early", 8)
	if _, known := c.Recall(key(1), h); known {
		t.Error("before it listens: got a fact from the cache, want it read")
	}
	c.Listening(true)
	c.Remember(key(1), h, 1, "heard", 8)
	if _, known := c.Recall(key(1), h); !known {
		t.Error("while it listens: got no fact, want it from the cache")
	}
	c.Listening(false)
	c.Remember(key(2), h, 2, "deaf", 8)
	for _, k := range []CacheKey{key(1), key(2)} {
		if _, known := c.Recall(k, h); known {
			t.Errorf("block %d after it stopped listening: got a fact from the cache, want it read", k.Number)
		}
	}
}

func TestAFactOfAnotherEpochIsNotRecalled(t *testing.T) {
	t.Parallel()
	c := listeningCache(1 << 20)
	c.Remember(key(1), final(45, 3), 1, "old", 8)
	if _, known := c.Recall(key(1), final(45, 4)); known {
		t.Error("got a fact of another epoch, want it read again")
	}
	c.Remember(key(1), final(45, 4), 1, "new", 8)
	if value, _ := c.Recall(key(1), final(45, 4)); value != "new" {
		t.Errorf("got %v, want new", value)
	}
}

// TestANewEpochAppliesToRequestsThatBeganBefore plays a request whose horizon
// was read just before an operator changed final facts.
func TestANewEpochAppliesToRequestsThatBeganBefore(t *testing.T) {
	t.Parallel()
	c := listeningCache(1 << 20)
	before := final(45, 3)
	c.Remember(key(1), before, 1, "old", 8)
	c.Advance(domain.Mainnet, 4)
	c.Remember(key(2), before, 2, "old", 8)
	for _, k := range []CacheKey{key(1), key(2)} {
		if _, known := c.Recall(k, before); known {
			t.Errorf("block %d: got a fact of an epoch that is over, want it read again", k.Number)
		}
	}
	other := CacheKey{Kind: CachedBlockByNumber, Chain: domain.Sepolia, Number: 1}
	c.Remember(other, before, 1, "untouched", 8)
	if _, known := c.Recall(other, before); !known {
		t.Error("other chain: got no fact, want it from the cache")
	}
}

func TestACacheStaysWithinItsWeight(t *testing.T) {
	t.Parallel()
	const each = 1000
	c := listeningCache(10 * (each + entryWeight))
	h := final(1000, 0)
	for number := range uint64(10) {
		c.Remember(key(number), h, number, number, each)
	}
	if _, known := c.Recall(key(0), h); !known {
		t.Fatal("got no fact although there is room, want it from the cache")
	}
	for number := uint64(10); number < 19; number++ {
		c.Remember(key(number), h, number, number, each)
	}
	if _, known := c.Recall(key(0), h); !known {
		t.Error("got the most recently used fact evicted, want it in the cache")
	}
	if _, known := c.Recall(key(1), h); known {
		t.Error("got the least recently used fact from the cache, want it evicted")
	}
	c.Remember(key(99), h, 99, "huge", 1<<20)
	if _, known := c.Recall(key(99), h); known || c.facts.Len() != 10 || c.facts.Weight() != 10*(each+entryWeight) {
		t.Errorf("got %d facts that weigh %d, want 10 that weigh %d, without the last", c.facts.Len(), c.facts.Weight(), 10*(each+entryWeight))
	}
	c.Remember(key(0), h, 0, "again", each)
	if c.facts.Len() != 10 || c.facts.Weight() != 10*(each+entryWeight) {
		t.Errorf("same fact again: got %d facts that weigh %d, want 10 that weigh %d", c.facts.Len(), c.facts.Weight(), 10*(each+entryWeight))
	}
}
