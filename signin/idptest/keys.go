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
	"math/big"
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

// document is the JWK set, with keys among them that are not for signatures
// or that no client needs to know.
func (k keys) document() Claims {
	point, err := k.p256.PublicKey.Bytes()
	must(err)
	modulus := Claims{"kty": "RSA", "n": encode(k.rsa.N.Bytes()), "e": encode(big.NewInt(int64(k.rsa.E)).Bytes())}
	encryption := Claims{"kty": "RSA", "n": modulus["n"], "e": modulus["e"], "use": "enc", "kid": k.id + " enc"}
	modulus["kid"], modulus["use"], modulus["alg"], modulus["x5t"] = k.id+" RS256", "sig", "RS256", "unused"
	return Claims{"keys": []Claims{
		encryption, {"kty": "oct", "k": "c2VjcmV0", "kid": k.id + " oct"}, modulus,
		{"kty": "EC", "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:]), "kid": k.id + " ES256"},
		{"kty": "OKP", "crv": "Ed25519", "x": encode(k.ed.Public().(ed25519.PublicKey)), "kid": k.id + " EdDSA"},
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
