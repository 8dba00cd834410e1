package receipt

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"time"

	"astrolabe/domain"
)

// Rules are what a reader expects besides a valid receipt. The zero value
// refuses receipts of simulated chains and accepts every toolchain of the trust
// root.
type Rules struct {
	// AllowDemo accepts keys of the environment Demo.
	AllowDemo bool
	// ToolchainDigest is the only accepted toolchain, unless it is empty.
	ToolchainDigest string
	// TrustRootDigest is the SHA-256 of the only accepted trust root, byte for
	// byte, unless it is empty.
	TrustRootDigest string
}

// Open reads the pinned trust root, and returns it with the digest of its bytes.
func (r Rules) Open(trustRoot []byte) (root *TrustRoot, digest string, err error) {
	digest = digestOf(trustRoot)
	if r.TrustRootDigest != "" && r.TrustRootDigest != digest {
		return nil, "", refuse(TrustRootChanged, "The trust root has the digest %s, but %s is pinned.", digest, domain.Quote(r.TrustRootDigest))
	}
	root, err = ParseTrustRoot(trustRoot)
	return root, digest, err
}

// Verified is a receipt that is to be trusted as far as its key is.
type Verified struct {
	Receipt         *Receipt
	Key             *Key
	ReceiptDigest   string // identifies the receipt, however it is spelled
	TrustRootDigest string // of the bytes of the trust root
}

// Verify verifies a receipt against a trust root, both as JSON. It returns an
// *Error with the first reason for which the receipt is not to be trusted.
func Verify(receipt, trustRoot []byte, rules Rules) (*Verified, error) {
	root, pinned, err := rules.Open(trustRoot)
	if err != nil {
		return nil, err
	}
	r, err := Parse(receipt)
	if err != nil {
		return nil, err
	}
	key, err := root.Verify(r, rules)
	if err != nil {
		return nil, err
	}
	return &Verified{r, key, r.Digest(), pinned}, nil
}

// Verify returns the key that signed a parsed receipt, or an *Error. The
// signature is checked before anything that the evidence says is used. Of the
// rules, it does not check TrustRootDigest.
func (t *TrustRoot) Verify(r *Receipt, rules Rules) (*Key, error) {
	key, err := t.Key(r.KeyID)
	if err != nil {
		return nil, err
	}
	signature, ok := decodeBase64(r.Signature, ed25519.SignatureSize)
	if !ok || !ed25519.Verify(key.PublicKey, r.Evidence.Canonical(), signature) {
		return nil, refuse(InvalidSignature, "The key %s did not sign this evidence: the receipt or the public key was changed.", domain.Quote(key.ID))
	}
	if err := key.Accepts("receipt", r.Evidence.Issued(), rules); err != nil {
		return nil, err
	}
	return key, nil
}

// Accepts applies the rules on the key to a document that it signed: a receipt or
// a checkpoint of the log. All documents of a revoked key are refused, because the
// thief of a key can choose the time in them. notAfter is for keys that are
// replaced by a planned rotation.
func (k *Key) Accepts(document string, signed time.Time, rules Rules) error {
	id, at := domain.Quote(k.ID), formatTime(signed)
	switch {
	case k.Environment == Demo && !rules.AllowDemo:
		return refuse(DemoKey, "The key %s signs for simulated chains (environment demo), whose receipts prove nothing about a real chain.", id)
	case rules.ToolchainDigest != "" && rules.ToolchainDigest != k.Toolchain.Digest:
		return refuse(WrongToolchain, "The key %s signs for the toolchain %s, but %s is required.", id, k.Toolchain, domain.Quote(rules.ToolchainDigest))
	case k.RevokedAt != nil:
		return refuse(KeyRevoked, "The key %s was revoked at %s. Nothing that it signed can be trusted, whatever signing time it states.", id, formatTime(*k.RevokedAt))
	case signed.Before(k.NotBefore):
		return refuse(KeyNotYetValid, "The %s was signed at %s, but the key %s is valid from %s.", document, at, id, formatTime(k.NotBefore))
	case k.NotAfter != nil && signed.After(*k.NotAfter):
		return refuse(KeyExpired, "The %s was signed at %s, but the key %s was valid until %s.", document, at, id, formatTime(*k.NotAfter))
	}
	return nil
}

// digestOf returns a SHA-256 as documents spell it.
func digestOf(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }
