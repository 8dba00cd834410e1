package account

import (
	"context"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/secret"
)

// oneKey is a store that holds one key.
type oneKey struct {
	KeyStore
	key Key
}

func (s oneKey) FindKey(_ context.Context, publicID string) (Key, error) {
	if publicID != s.key.PublicID {
		return Key{}, domain.Errorf(domain.CodeNotFound, "the key does not exist")
	}
	return s.key, nil
}

// BenchmarkAuthenticate measures a check without its read, and shows that an
// unknown key takes as long as a wrong secret.
func BenchmarkAuthenticate(b *testing.B) {
	ring := newRing(b)
	good := NewKeyText(Live)
	pepper := ring.Current(secret.Pepper)
	store := oneKey{key: Key{PublicID: good.PublicID, Permissions: SelfServe, Pepper: pepper.Generation, Hash: good.Hash(pepper.Material[:])}}
	unknown := NewKeyText(Live)
	wrong := unknown
	wrong.PublicID = good.PublicID
	for _, bench := range []struct {
		name      string
		key       KeyText
		listening bool
	}{{"good, cached", good, true}, {"good", good, false}, {"wrong secret", wrong, false}, {"unknown", unknown, false}} {
		b.Run(bench.name, func(b *testing.B) {
			keys := NewKeys(store, ring, time.Now)
			keys.Listening(bench.listening)
			text := bench.key.Reveal()
			b.ReportAllocs()
			for b.Loop() {
				_, _ = keys.Authenticate(b.Context(), text)
			}
		})
	}
}

// BenchmarkCachedKey measures the lookup of a key that is cached among a
// thousand others.
func BenchmarkCachedKey(b *testing.B) {
	c := newCache(func(_ context.Context, id string) (Key, error) { return Key{PublicID: id}, nil }, time.Now)
	c.listen(true)
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = NewKeyText(Live).PublicID
		if _, err := c.get(b.Context(), ids[i]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := c.get(b.Context(), ids[i%len(ids)]); err != nil {
			b.Fatal(err)
		}
	}
}
