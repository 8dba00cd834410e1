package verification

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/graph/scalar"
)

// TrustRoot lists the keys that sign receipts.
type TrustRoot struct {
	SchemaVersion string
	Text          string
	Keys          []Key
}

// Key is a key that signs receipts.
type Key struct {
	KeyID       string
	Algorithm   string
	PublicKey   string
	Environment scalar.Enum
	Toolchain   verify.Toolchain
	NotBefore   time.Time
	NotAfter    *time.Time
	RevokedAt   *time.Time
}

// VerificationTrustRoot returns every key that signs or has signed receipts.
func (q Queries) VerificationTrustRoot(ctx context.Context) (*TrustRoot, error) {
	root, err := q.Resolver.VerificationReceipts.TrustRoot(ctx)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(root) // the bytes that REST serves, which clients pin
	if err != nil {
		return nil, err
	}
	result := &TrustRoot{SchemaVersion: receipt.TrustRootVersion, Text: string(text), Keys: make([]Key, len(root.Keys))}
	for i, k := range root.Keys {
		result.Keys[i] = Key{
			KeyID: k.ID, Algorithm: receipt.Algorithm, PublicKey: base64.RawURLEncoding.EncodeToString(k.PublicKey), Environment: scalar.Enum(k.Environment),
			Toolchain: verify.Toolchain(k.Toolchain), NotBefore: k.NotBefore, NotAfter: k.NotAfter, RevokedAt: k.RevokedAt,
		}
	}
	return result, nil
}
