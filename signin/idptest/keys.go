package idptest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"

	"github.com/go-jose/go-jose/v4"
)

// keys are one generation of signing keys, of every kind.
type keys struct {
	id   string
	rsa  *rsa.PrivateKey
	p256 *ecdsa.PrivateKey
	ed   ed25519.PrivateKey
}

func newKeys(id string) keys {
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	_, d, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	return keys{id, r, e, d}
}

// document is the JWK set. Two of its keys must not verify a token: one is for
// encryption, and one is symmetric.
func (k keys) document() jose.JSONWebKeySet {
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: &k.rsa.PublicKey, KeyID: k.id + " enc", Use: "enc"},
		{Key: []byte("secret"), KeyID: k.id + " oct"},
		{Key: &k.rsa.PublicKey, KeyID: k.id + " RS256", Use: "sig", Algorithm: "RS256"},
		{Key: &k.p256.PublicKey, KeyID: k.id + " ES256"},
		{Key: k.ed.Public(), KeyID: k.id + " EdDSA"},
	}}
}

// signer signs claims with the key of an algorithm.
func (k keys) signer(algorithm string) func(Claims) string {
	return func(c Claims) string {
		return Token(Claims{"alg": algorithm, "kid": k.id + " " + algorithm, "typ": "JWT"}, c, k.sign(algorithm))
	}
}

func (k keys) sign(algorithm string) func([]byte) []byte {
	return func(input []byte) []byte {
		sum := sha256.Sum256(input)
		switch algorithm {
		case "RS256":
			signature, err := rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA256, sum[:])
			must(err)
			return signature
		case "ES256":
			r, s, err := ecdsa.Sign(rand.Reader, k.p256, sum[:])
			must(err)
			return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
		case "EdDSA":
			return ed25519.Sign(k.ed, input)
		}
		panic("idptest cannot sign with " + algorithm)
	}
}

// Token writes a token in compact form.
func Token(header, claims Claims, sign func(input []byte) []byte) string {
	input := segment(header) + "." + segment(claims)
	return input + "." + encode(sign([]byte(input)))
}

func segment(c Claims) string {
	raw, err := json.Marshal(c)
	must(err)
	return encode(raw)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
