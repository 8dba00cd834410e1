package chain

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// BenchmarkRecall shows what a block by its hash costs when it is remembered
// among a thousand others.
func BenchmarkRecall(b *testing.B) {
	c, h := listeningCache(DefaultCacheWeight), final(1000, 0)
	keys := make([]CacheKey, 1000)
	for i := range keys {
		keys[i] = CacheKey{Kind: CachedBlockByHash, Chain: domain.Mainnet, Hash: starknet.Felt{30: byte(i >> 8), 31: byte(i)}}
		c.Remember(keys[i], h, uint64(i), &facts.Header{}, headerWeight)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, known := c.Recall(keys[i%len(keys)], h); !known {
			b.Fatalf("got no fact for key %d, want the remembered one", i%len(keys))
		}
	}
}
