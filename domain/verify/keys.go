package verify

import (
	"context"
	"crypto/ed25519"
	"errors"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
)

// KeyRegister registers signing keys.
type KeyRegister interface {
	// RegisterKey stores a key unless its id is stored, and returns the stored one.
	RegisterKey(ctx context.Context, key receipt.Key) (receipt.Key, error)
}

// KeyStore reads and ends signing keys.
type KeyStore interface {
	// SigningKeys returns all keys, oldest first.
	SigningKeys(ctx context.Context) ([]receipt.Key, error)
	// EndKey sets the end of a key, or its revocation, unless it has one, and
	// returns the key as it is afterwards, nil if there is none. The end is not
	// before the last receipt of the key, nor before the newest checkpoint.
	EndKey(ctx context.Context, id string, end KeyEnd, at time.Time) (*receipt.Key, error)
}

// KeyEnd is how a key ends.
type KeyEnd string

// The ways in which a key ends.
const (
	// RetireKey is a planned rotation: the key can no longer sign, but its receipts
	// stay valid.
	RetireKey KeyEnd = "retire"
	// RevokeKey is for a key that may be stolen: all of its receipts become invalid.
	RevokeKey KeyEnd = "revoke"
)

// Keys lists and ends signing keys. It needs no private key.
type Keys struct {
	store KeyStore
	now   func() time.Time
}

// NewKeys makes the service.
func NewKeys(store KeyStore, now func() time.Time) *Keys { return &Keys{store, now} }

// TrustRoot returns the trust root with all keys, oldest first.
func (k *Keys) TrustRoot(ctx context.Context) (*receipt.TrustRoot, error) {
	keys, err := k.store.SigningKeys(ctx)
	if err != nil {
		return nil, err
	}
	return &receipt.TrustRoot{Keys: keys}, nil
}

// End retires or revokes a key and returns it. A key that has ended this way
// before is returned as it is. The error is not_found for an unknown id.
func (k *Keys) End(ctx context.Context, id string, end KeyEnd) (*receipt.Key, error) {
	key, err := k.store.EndKey(ctx, id, end, domain.Milliseconds(k.now()))
	if err == nil && key == nil {
		err = domain.Errorf(domain.CodeNotFound, "There is no signing key %s.", domain.Quote(id))
	}
	return key, err
}

// Check registers the key of the controller if it is new, and returns a *Refusal
// if the key must not sign: it is registered for another environment or
// toolchain, retired or revoked, or is a production key and the index was not
// made from the real chain. Every other error says that it could not decide.
func (c *Controller) Check(ctx context.Context) error {
	_, err := c.check(ctx)
	return err
}

// check is Check, and returns the key as it is registered.
func (c *Controller) check(ctx context.Context) (*receipt.Key, error) {
	first, err := c.store.Genesis(ctx, domain.Mainnet)
	if err != nil {
		return nil, err
	}
	vouch := mayVouch(c.environment, domain.Mainnet, first)
	if vouch != nil && first != nil {
		return nil, vouch // before the trust root lists the key
	}
	stored, err := c.store.RegisterKey(ctx, receipt.Key{
		ID: c.key.ID, PublicKey: c.key.Public(), Environment: c.environment, Toolchain: c.toolchain, NotBefore: domain.Milliseconds(c.now()),
	})
	if err != nil {
		return nil, err
	}
	if refusal := c.fits(&stored); refusal != nil {
		return nil, refusal
	}
	if vouch != nil {
		return nil, vouch
	}
	return &stored, nil
}

// fits returns a *Refusal unless the controller may sign with a registered key.
func (c *Controller) fits(stored *receipt.Key) *Refusal {
	refuse := func(reason receipt.Reason, message string) *Refusal {
		return &Refusal{string(reason), "The signing key " + stored.ID + " " + message}
	}
	const another = " Use another key."
	switch {
	case !ed25519.PublicKey.Equal(stored.PublicKey, c.key.Public()):
		return refuse(receipt.InvalidSignature, "is registered with another public key."+another)
	case stored.Environment != c.environment:
		return refuse(receipt.WrongEnvironment, "is registered for the environment "+string(stored.Environment)+", but the controller runs for "+string(c.environment)+"."+another)
	case stored.Toolchain != c.toolchain:
		return refuse(receipt.WrongToolchain, "is registered for the toolchain "+stored.Toolchain.String()+", but the controller runs for "+c.toolchain.String()+"."+another)
	case stored.RevokedAt != nil:
		return refuse(receipt.KeyRevoked, "was revoked at "+stored.RevokedAt.Format(time.RFC3339)+"."+another)
	case stored.NotAfter != nil:
		return refuse(receipt.KeyExpired, "was retired at "+stored.NotAfter.Format(time.RFC3339)+"."+another)
	}
	return nil
}

// reasonOf returns why a key did not sign, for the owner of a job.
func reasonOf(err error) string {
	if refused, ok := errors.AsType[*receipt.Error](err); ok {
		return refused.Message
	}
	return ""
}
