package signin

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"strings"

	"astrolabe/strictjson"
)

// token is a JSON Web Token whose signature is not yet checked.
type token struct {
	algorithm string
	keyID     string // empty when it names none
	signed    string // what the signature is of
	payload   []byte
	signature []byte
}

// parseToken reads the compact form. Whatever is not exactly that, or is
// signed by an algorithm that we do not check, is refused: none and the
// symmetric ones, for which the provider's public key would be the secret,
// are among these.
func parseToken(text string) (token, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || strings.ContainsAny(text, "\r\n") { // which the decoder would skip
		return token{}, refused("it is not a signed token")
	}
	var raw [3][]byte
	for i, part := range parts {
		var err error
		if raw[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return token{}, refused("it is not base64url")
		}
	}
	var header struct {
		Algorithm string         `json:"alg"`
		KeyID     string         `json:"kid,omitempty"`
		Critical  strictjson.Raw `json:"crit,omitempty"`
	}
	if err := strictjson.Decode(raw[0], &header, strictjson.AllowUnknownKeys()); err != nil {
		return token{}, refused("its header is malformed")
	}
	if header.Critical != nil {
		return token{}, refused("its header demands what we do not know")
	}
	switch header.Algorithm {
	case "RS256", "ES256", "EdDSA":
	default:
		return token{}, refused("its algorithm is none of RS256, ES256 and EdDSA")
	}
	return token{
		algorithm: header.Algorithm, keyID: header.KeyID, signed: parts[0] + "." + parts[1],
		payload: raw[1], signature: raw[2],
	}, nil
}

// signedBy tells whether one of the keys has signed the token. A token that
// names a key is checked with that one only.
func (t token) signedBy(keys keySet) bool {
	for _, k := range keys {
		if (t.keyID == "" || t.keyID == k.id) && t.verify(k.public) {
			return true
		}
	}
	return false
}

// verify checks the signature by a key of the type that belongs to the
// token's algorithm.
func (t token) verify(public crypto.PublicKey) bool {
	sum := sha256.Sum256([]byte(t.signed))
	switch key := public.(type) {
	case *rsa.PublicKey:
		return t.algorithm == "RS256" && rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], t.signature) == nil
	case *ecdsa.PublicKey:
		if t.algorithm != "ES256" || len(t.signature) != 64 {
			return false
		}
		r, s := new(big.Int).SetBytes(t.signature[:32]), new(big.Int).SetBytes(t.signature[32:])
		return ecdsa.Verify(key, sum[:], r, s)
	case ed25519.PublicKey:
		return t.algorithm == "EdDSA" && ed25519.Verify(key, []byte(t.signed), t.signature)
	}
	return false
}
