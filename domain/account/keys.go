package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/secret"
)

// KeyStore stores API keys. Each change is one transaction with its audit
// entries, and notifies all listening processes.
type KeyStore interface {
	// FindKey returns a key, else not_found.
	FindKey(ctx context.Context, publicID string) (Key, error)
	// ListKeys returns the first keys of a workspace: those that were not
	// revoked first, and newest first.
	ListKeys(ctx context.Context, workspace string, limit int) ([]Key, error)
	// AddKey stores a key. Without its workspace it returns not_found.
	AddKey(ctx context.Context, k Key, entry Entry) error
	// ReplaceDefaultKey stores a key as the default key of its workspace and
	// revokes the previous ones at a time, unless they end before. It returns
	// their public IDs. Without the workspace it returns not_found. If rotate
	// fails, it returns that error and changes nothing.
	ReplaceDefaultKey(ctx context.Context, k Key, entry Entry, by Actor, until time.Time, rotate Rotating) (revoked []string, err error)
	// RevokeKey revokes a key of a workspace, or of any workspace if that is
	// empty, and returns it. A key that is revoked by then is returned
	// unchanged. A key of another workspace is not_found.
	RevokeKey(ctx context.Context, workspace, publicID string, by Actor, at time.Time) (Key, error)
	// GrantKey sets the permissions of a key to those that grant returns, and
	// records the added ones. If grant fails, it returns that error and changes
	// nothing.
	GrantKey(ctx context.Context, publicID string, by Actor, at time.Time, grant Granting) (Key, error)
	// RecordUse stores when keys were last used.
	RecordUse(ctx context.Context, uses map[string]time.Time) error
}

// Granting decides on a stored key which permissions it shall have.
type Granting func(Key) (all, added []Permission, err error)

// Rotating decides whether a workspace may have another default key, when it
// has had so many in the same UTC day.
type Rotating func(today int) error

// Keys issues, checks and revokes API keys. It is safe for concurrent use.
type Keys struct {
	store KeyStore
	ring  *secret.Ring
	now   func() time.Time
	cache *rowCache[Key]
	uses  uses
}

// NewKeys makes the service. Until Listening(true), every check reads the
// store. A process that neither issues nor checks keys needs no ring.
func NewKeys(store KeyStore, ring *secret.Ring, now func() time.Time) *Keys {
	return &Keys{store: store, ring: ring, now: now, cache: newCache(store.FindKey, now)}
}

// Forget makes the next check of a key read the store: the key has changed.
func (s *Keys) Forget(publicID string) { s.cache.rows.Forget(publicID) }

// Listening sets whether this process listens for changes and calls Forget.
// While it does not, nothing is cached.
func (s *Keys) Listening(up bool) { s.cache.listen(up) }

// Knows reports whether Authenticate needs no read of the store: the text is
// malformed, or its key is cached.
func (s *Keys) Knows(text string) bool {
	claimed, err := ParseKeyText(text)
	return err != nil || s.cache.rows.Has(claimed.PublicID)
}

// Authenticate returns the caller of an API key. Every invalid key (malformed,
// unknown, wrong secret, expired, revoked) gets the same unauthorized. A
// failing store is service_unavailable.
func (s *Keys) Authenticate(ctx context.Context, text string) (*Caller, error) {
	claimed, err := ParseKeyText(text)
	if err != nil {
		return nil, err
	}
	key, err := s.cache.get(ctx, claimed.PublicID)
	if domain.CodeOf(err) == domain.CodeNotFound {
		key, err = Key{Pepper: s.ring.Current(secret.Pepper).Generation, Hash: make(Hash, sha256.Size)}, nil
	}
	if err != nil {
		return nil, err
	}
	// An unknown key is hashed too, so that the check itself takes as long as
	// that of a wrong secret. A key that was used lately needs no read, though.
	pepper, known := s.ring.Key(ctx, secret.Pepper, key.Pepper)
	if !known { // peppers are kept for ever, so this one is newer than the ring
		return nil, domain.Unavailable(time.Second, nil, "The API key cannot be checked yet: this process has not loaded the newest secret. Retry.")
	}
	now := s.now()
	same := hmac.Equal(claimed.Hash(pepper.Material[:]), key.Hash)
	if !same || key.PublicID == "" || key.Status(now) != Active {
		return nil, unrecognisedKey()
	}
	s.uses.note(key.PublicID, now)
	caller := &Caller{
		Kind: ByKey, Workspace: key.Workspace, Plan: key.Plan, Subject: key.PublicID,
		Permissions: key.effective(), Budgets: key.Budgets, Until: key.until(),
	}
	if key.Default {
		caller.Meter = key.Workspace
	}
	return caller, nil
}

// Issued is a new key and its text, which cannot be retrieved again.
type Issued struct {
	Key  Key
	Text KeyText
}

// Issue issues a key for a workspace. Requests that only an operator may make
// are forbidden for others.
func (s *Keys) Issue(ctx context.Context, workspace string, r IssueRequest, by Actor) (Issued, error) {
	if err := r.check(s.now(), by); err != nil {
		return Issued{}, err
	}
	issued := s.draw(workspace, r)
	if err := s.store.AddKey(ctx, issued.Key, keyIssued(issued.Key, by)); err != nil {
		return Issued{}, err
	}
	return issued, nil
}

// Day returns the beginning of the UTC day of a time.
func Day(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// draw makes a key that is not stored yet.
func (s *Keys) draw(workspace string, r IssueRequest) Issued {
	text, pepper := NewKeyText(r.Environment), s.ring.Current(secret.Pepper)
	return Issued{Text: text, Key: Key{
		PublicID: text.PublicID, Workspace: workspace, Environment: r.Environment, Label: r.Label,
		Permissions: inOrder(r.Permissions), Budgets: r.Budgets,
		Hash: text.Hash(pepper.Material[:]), Pepper: pepper.Generation,
		CreatedAt: moment(s.now), ExpiresAt: r.ExpiresAt,
	}}
}

// ListedKeys bounds the list of its keys that a workspace sees, which has no
// pages.
const ListedKeys = 100

// List returns at most limit keys of a workspace and whether there are more.
// Keys that were not revoked come first, then newest first.
func (s *Keys) List(ctx context.Context, workspace string, limit int) (list []Key, truncated bool, err error) {
	list, err = s.store.ListKeys(ctx, workspace, limit+1)
	if len(list) > limit {
		return list[:limit], true, err
	}
	return list, false, err
}

// Revoke ends a key of a workspace and returns its final metadata, also when
// it was revoked before. A key of another workspace is not_found. An operator
// may leave the workspace empty.
func (s *Keys) Revoke(ctx context.Context, workspace, publicID string, by Actor) (Key, error) {
	if workspace == "" && !by.operator() || !isPublicID(publicID) {
		return Key{}, domain.Errorf(domain.CodeNotFound, "The API key does not exist.")
	}
	defer s.Forget(publicID)
	return s.store.RevokeKey(ctx, workspace, publicID, by, moment(s.now))
}

// Grant gives a key permissions that it lacks and returns it. Only an operator
// may; a key that is no longer active is invalid_request.
func (s *Keys) Grant(ctx context.Context, publicID string, permissions []Permission, by Actor) (Key, error) {
	if !by.operator() {
		return Key{}, domain.Errorf(domain.CodeForbidden, "Only an operator can grant permissions.")
	}
	if err := checkPermissions(permissions); err != nil {
		return Key{}, err
	}
	defer s.Forget(publicID)
	now := moment(s.now)
	return s.store.GrantKey(ctx, publicID, by, now, func(k Key) (all, added []Permission, err error) {
		if status := k.Status(now); status != Active {
			return nil, nil, domain.Errorf(domain.CodeInvalidRequest, "The API key is %s; permissions can be granted to active keys only.", status)
		}
		added = slices.DeleteFunc(inOrder(permissions), func(p Permission) bool { return slices.Contains(k.Permissions, p) })
		return inOrder(append(added, k.Permissions...)), added, nil
	})
}
