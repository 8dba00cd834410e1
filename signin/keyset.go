package signin

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
)

// keySet are the provider's signing keys.
type keySet []signingKey

// signingKey checks signatures. Its type decides the algorithm, so that a
// token cannot choose another one for it.
type signingKey struct {
	id     string
	public crypto.PublicKey // *rsa.PublicKey, *ecdsa.PublicKey on P-256 or ed25519.PublicKey
}

const (
	minModulus = 2048 // bits
	maxModulus = 8192
	// maxKeys bounds how many signatures one token can cost.
	maxKeys = 50
)

// jwk is a key as RFC 7517 writes it.
type jwk struct {
	Type  string `json:"kty"`
	ID    string `json:"kid,omitempty"`
	Use   string `json:"use,omitempty"`
	Alg   string `json:"alg,omitempty"`
	Curve string `json:"crv,omitempty"`
	N     string `json:"n,omitempty"`
	E     string `json:"e,omitempty"`
	X     string `json:"x,omitempty"`
	Y     string `json:"y,omitempty"`
}

// fetchKeys reads the provider's keys. Keys of other kinds and malformed ones
// are passed over: they are none that we could use.
func (p *provider) fetchKeys(ctx context.Context) (keySet, error) {
	e, err := p.discovered.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	var document struct {
		Keys []jwk `json:"keys"`
	}
	if err := p.channel.get(ctx, e.keys.String(), &document); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	if len(document.Keys) > maxKeys {
		return nil, fmt.Errorf("keys: there are more than %d", maxKeys)
	}
	var usable keySet
	for _, k := range document.Keys {
		if public, err := k.public(); err == nil {
			usable = append(usable, signingKey{k.ID, public})
		}
	}
	return usable, nil
}

var errUnusable = errors.New("the key is of no use here")

// public returns the key if it is for signatures that we check.
func (k jwk) public() (crypto.PublicKey, error) {
	if k.Use != "" && k.Use != "sig" {
		return nil, errUnusable
	}
	for _, usable := range []struct {
		kind, curve, algorithm string
		read                   func(jwk) (crypto.PublicKey, error)
	}{
		{"RSA", "", "RS256", jwk.rsa}, {"EC", "P-256", "ES256", jwk.p256}, {"OKP", "Ed25519", "EdDSA", jwk.ed25519},
	} {
		if k.Type == usable.kind && k.Curve == usable.curve && (k.Alg == "" || k.Alg == usable.algorithm) {
			return usable.read(k)
		}
	}
	return nil, errUnusable
}

func (k jwk) ed25519() (crypto.PublicKey, error) {
	x, err := base64.RawURLEncoding.DecodeString(k.X)
	if err != nil || len(x) != ed25519.PublicKeySize {
		return nil, errUnusable
	}
	return ed25519.PublicKey(x), nil
}

func (k jwk) rsa() (crypto.PublicKey, error) {
	n, errN := base64.RawURLEncoding.DecodeString(k.N)
	e, errE := base64.RawURLEncoding.DecodeString(k.E)
	modulus, exponent := new(big.Int).SetBytes(n), new(big.Int).SetBytes(e)
	sound := modulus.BitLen() >= minModulus && modulus.BitLen() <= maxModulus &&
		exponent.BitLen() <= 31 && exponent.Bit(0) == 1 && exponent.BitLen() > 1
	if errN != nil || errE != nil || !sound {
		return nil, errUnusable
	}
	return &rsa.PublicKey{N: modulus, E: int(exponent.Int64())}, nil
}

func (k jwk) p256() (crypto.PublicKey, error) {
	x, errX := base64.RawURLEncoding.DecodeString(k.X)
	y, errY := base64.RawURLEncoding.DecodeString(k.Y)
	if errX != nil || errY != nil || len(x) != 32 || len(y) != 32 {
		return nil, errUnusable
	}
	return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
}
