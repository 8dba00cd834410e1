package signin

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"astrolabe/strictjson"
)

const (
	// minModulus is RFC 7518's, in bits. go-jose accepts at most 4096.
	minModulus = 2048
	// maxExponent is crypto/rsa's.
	maxExponent = 1<<31 - 1
	// maxKeys bounds how many signatures one token can make us check.
	maxKeys = 50
)

// keySource answers the requests of go-oidc's RemoteKeySet, which asks for the
// keys whenever a token names one that it does not know. However often that
// happens, the provider is asked once per refetchInterval.
type keySource struct {
	usable *remembered[[]byte]
}

// RoundTrip implements http.RoundTripper.
func (s keySource) RoundTrip(request *http.Request) (*http.Response, error) {
	keys, err := s.usable.getNewer(request.Context())
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(keys)), Request: request}, nil
}

// fetchKeys returns the usable keys of the provider's key set.
func (p *provider) fetchKeys(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the provider responds with status %d", response.StatusCode)
	}
	keys, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return usableKeys(keys)
}

// keySet is a JWK set whose keys are not yet decoded.
type keySet struct {
	Keys []strictjson.Raw `json:"keys"`
}

// usableKeys returns a key set without the keys that must not verify identity
// tokens. go-oidc looks neither at a key's use nor at its algorithm, and one
// malformed key makes it reject the whole set.
func usableKeys(document []byte) ([]byte, error) {
	var all keySet
	if err := strictjson.Decode(document, &all, strictjson.AllowUnknownKeys()); err != nil {
		return nil, err
	}
	if len(all.Keys) > maxKeys {
		return nil, fmt.Errorf("the provider has more than %d keys", maxKeys)
	}
	usable := keySet{Keys: []strictjson.Raw{}}
	for _, encoded := range all.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(encoded) == nil && isUsable(key) {
			usable.Keys = append(usable.Keys, encoded)
		}
	}
	return json.Marshal(usable)
}

// isUsable reports whether a key is meant for signatures, is strong enough and
// belongs to one of our algorithms.
func isUsable(key jose.JSONWebKey) bool {
	var algorithm string
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() >= minModulus && public.E%2 == 1 && public.E <= maxExponent {
			algorithm = oidc.RS256
		}
	case *ecdsa.PublicKey:
		if public.Curve == elliptic.P256() {
			algorithm = oidc.ES256
		}
	case ed25519.PublicKey:
		algorithm = oidc.EdDSA
	}
	return algorithm != "" && (key.Use == "" || key.Use == "sig") && (key.Algorithm == "" || key.Algorithm == algorithm)
}
