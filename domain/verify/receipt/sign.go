package receipt

import (
	"crypto/ed25519"
	"encoding/base64"

	"astrolabe/domain"
)

// Sign sets the fields of the evidence that are the same in every receipt, and
// signs it with the private key of an entry of the trust root. It returns an
// error instead of a receipt that Verify would refuse, and for a build of
// another environment or toolchain than those that the key signs for.
func Sign(e Evidence, environment Environment, toolchain Toolchain, key Key, private ed25519.PrivateKey) (*Receipt, error) {
	switch {
	case key.Environment != environment:
		return nil, refuse(WrongEnvironment, "The key %s signs for the environment %s, but the build is for %s.",
			domain.Quote(key.ID), domain.Quote(string(key.Environment)), domain.Quote(string(environment)))
	case key.Toolchain != toolchain:
		return nil, refuse(WrongToolchain, "The key %s signs for the toolchain %s, but the build used %s.", domain.Quote(key.ID), key.Toolchain, toolchain)
	case len(private) != ed25519.PrivateKeySize:
		return nil, refuse(InvalidSignature, "The private key of %s must have %d bytes, got %d.", domain.Quote(key.ID), ed25519.PrivateKeySize, len(private))
	}
	e.Verification, e.ToolchainPolicyID, e.ProofScope, e.NotProofOf = Verification, ToolchainPolicyID, ProofScope, NotProofOf()
	if err := e.check(); err != nil {
		return nil, err
	}
	r := &Receipt{
		SchemaVersion: SchemaVersion, Algorithm: Algorithm, KeyID: key.ID, Evidence: e,
		Signature: base64.RawURLEncoding.EncodeToString(ed25519.Sign(private, e.Canonical())),
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	root := TrustRoot{Keys: []Key{key}}
	if err := root.check(); err != nil {
		return nil, err
	}
	if _, err := root.Verify(r, Rules{AllowDemo: true}); err != nil {
		return nil, err
	}
	return r, nil
}
