package secret

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"astrolabe/domain"
)

// Store keeps sealed keys.
type Store interface {
	// Secrets returns every stored generation.
	Secrets(ctx context.Context) ([]Sealed, error)
	// AddSecret stores a generation and, in the same transaction, ends the
	// overlap of the purpose's older ones that have no end yet at
	// olderUntil (never, when zero). It reports false and changes nothing
	// when the generation exists already: another process was first. It is
	// ErrOtherMaster when other keys were sealed with another master key.
	AddSecret(ctx context.Context, s Sealed, olderUntil time.Time) (added bool, err error)
	// ForgetSecrets deletes the generations whose overlap ended before now.
	ForgetSecrets(ctx context.Context, now time.Time) (forgotten int, err error)
}

// Ring holds a deployment's unsealed keys. It is safe for concurrent use.
type Ring struct {
	store Store
	now   func() time.Time

	mu      sync.RWMutex
	masters []Master // that may have sealed the stored keys
	master  Master   // that has
	keys    map[Purpose]map[uint32]Key
	current map[Purpose]uint32
	asked   time.Time // when an unknown generation was last looked up
}

// reloadPause bounds how often an unknown generation may cost a query, so
// that forged cursors cannot flood the store.
const reloadPause = time.Second

// Open loads the keys and creates those that do not exist yet. Processes that
// open one store at the same moment end up with the same keys. While the master
// key is being replaced, others holds its successor.
func Open(ctx context.Context, store Store, master Master, others ...Master) (*Ring, error) {
	r := &Ring{store: store, master: master, masters: append([]Master{master}, others...), now: time.Now}
	if err := r.Reload(ctx); err != nil {
		return nil, err
	}
	for _, p := range Purposes {
		if _, exists := r.current[p]; exists {
			continue
		}
		first := Key{Purpose: p, Generation: 1, Material: NewMaterial(), CreatedAt: r.now().UTC()}
		if _, err := store.AddSecret(ctx, r.Master().seal(first), time.Time{}); err != nil {
			return nil, fmt.Errorf("create secret %s: %w", p, err)
		}
	}
	return r, r.Reload(ctx)
}

// Reload reads the stored generations anew.
func (r *Ring) Reload(ctx context.Context) error {
	sealed, err := r.store.Secrets(ctx)
	if err != nil {
		return fmt.Errorf("load secrets: %w", err)
	}
	keys := make(map[Purpose]map[uint32]Key)
	current := make(map[Purpose]uint32)
	master := r.Master()
	for _, s := range sealed {
		master = r.masterOf(s)
		key, err := master.open(s)
		if err != nil {
			return err
		}
		if keys[s.Purpose] == nil {
			keys[s.Purpose] = make(map[uint32]Key)
		}
		keys[s.Purpose][s.Generation] = key
		current[s.Purpose] = max(current[s.Purpose], s.Generation)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.current {
		if keys[p] == nil { // the store was emptied: keep the keys in memory
			return fmt.Errorf("the database has no %s secret any more", p)
		}
	}
	r.keys, r.current, r.master = keys, current, master
	return nil
}

// masterOf returns the master key that has sealed a key, or another one if it is
// not known.
func (r *Ring) masterOf(s Sealed) Master {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, m := range r.masters {
		if m.sealed(s) {
			return m
		}
	}
	return r.masters[0]
}

// Master returns the master key that has sealed the stored keys.
func (r *Ring) Master() Master {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.master
}

// Trust adds master keys that may have sealed the stored keys.
func (r *Ring) Trust(masters ...Master) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range masters {
		if !slices.Contains(r.masters, m) {
			r.masters = append(r.masters, m)
		}
	}
}

// Current returns the key of a purpose to sign with.
func (r *Ring) Current(p Purpose) Key {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.keys[p][r.current[p]]
}

// Key returns a generation that is still honoured. A generation that this
// process has not seen is looked up, because another process may have rotated.
func (r *Ring) Key(ctx context.Context, p Purpose, generation uint32) (Key, bool) {
	key, known := r.known(p, generation)
	if !known && r.mayAsk() && r.Reload(ctx) == nil {
		key, known = r.known(p, generation)
	}
	honoured := key.HonouredUntil.IsZero() || r.now().Before(key.HonouredUntil)
	return key, known && honoured
}

func (r *Ring) known(p Purpose, generation uint32) (Key, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	key, ok := r.keys[p][generation]
	return key, ok
}

// mayAsk lets one caller per reloadPause look an unknown generation up.
func (r *Ring) mayAsk() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if now.Sub(r.asked) < reloadPause {
		return false
	}
	r.asked = now
	return true
}

// Rotate makes a new generation of a purpose. Where old generations may be
// forgotten at all, they stay honoured for the overlap. When another process
// rotates at the same moment, one new generation comes of both.
func (r *Ring) Rotate(ctx context.Context, p Purpose, overlap time.Duration) (Key, error) {
	if overlap < 0 {
		return Key{}, domain.Errorf(domain.CodeInvalidRequest, "overlap must not be negative.")
	}
	if err := r.Reload(ctx); err != nil {
		return Key{}, err
	}
	now := r.now().UTC()
	next := Key{Purpose: p, Generation: r.Current(p).Generation + 1, Material: NewMaterial(), CreatedAt: now}
	var olderUntil time.Time
	if p.expires() {
		olderUntil = now.Add(overlap)
	}
	if _, err := r.store.AddSecret(ctx, r.Master().seal(next), olderUntil); err != nil {
		return Key{}, fmt.Errorf("rotate secret %s: %w", p, err)
	}
	if err := r.Reload(ctx); err != nil {
		return Key{}, err
	}
	return r.Current(p), nil
}

// Keys returns every key of a purpose that is known, in no particular order.
func (r *Ring) Keys(p Purpose) []Key {
	r.mu.RLock()
	defer r.mu.RUnlock()
	keys := make([]Key, 0, len(r.keys[p]))
	for _, k := range r.keys[p] {
		keys = append(keys, k)
	}
	return keys
}

// settling is how long a new generation is known before Settled returns it first.
// Follow must reload more often.
const settling = 5 * time.Minute

// Settled returns the keys of a purpose for values that are looked up again under
// every key. The first is for new values: the newest that every process has had
// time to load, because a process that does not know the key of a stored value
// would take it for absent.
func (r *Ring) Settled(p Purpose) []Material {
	keys := r.Keys(p)
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(b.Generation, a.Generation) })
	first := slices.IndexFunc(keys, func(k Key) bool { return k.CreatedAt.Add(settling).Before(r.now()) })
	if first < 0 {
		first = len(keys) - 1 // the oldest
	}
	materials := []Material{keys[first].Material}
	for i, k := range keys {
		if i != first {
			materials = append(materials, k.Material)
		}
	}
	return materials
}

// CursorKeys gives the cursor codec its keys.
func (r *Ring) CursorKeys() domain.MACKeys { return cursorKeys{r} }

type cursorKeys struct{ ring *Ring }

func (c cursorKeys) CurrentKey() (uint32, []byte) {
	k := c.ring.Current(Cursor)
	return k.Generation, k.Material[:]
}

func (c cursorKeys) KeyOf(ctx context.Context, generation uint32) ([]byte, bool) {
	k, ok := c.ring.Key(ctx, Cursor, generation)
	return k.Material[:], ok
}

// Follow reloads the ring at intervals until ctx ends, so that a process that
// only signs also picks up a rotation within its overlap. Errors go to report
// and are retried at the next interval.
func (r *Ring) Follow(ctx context.Context, every time.Duration, report func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := r.Reload(ctx); err != nil && ctx.Err() == nil {
				report(err)
			}
		}
	}
}
