package idptest

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// The client that every provider knows.
const (
	ClientID     = "explorer client" // has a space, which Basic credentials must escape
	ClientSecret = "s3cret:with/odd=parts+"
)

// The paths of a provider's endpoints.
const (
	DiscoveryPath     = "/.well-known/openid-configuration"
	AuthorizationPath = "/authorize"
	TokenPath         = "/token"
	KeysPath          = "/keys"
)

// Claims are what a token says.
type Claims map[string]any

// Provider is a running identity provider.
type Provider struct {
	Issuer string
	// Transport trusts the provider's certificate, and that of every other
	// server of httptest.
	Transport http.RoundTripper
	// Certificate is that of the provider in PEM, for SSL_CERT_FILE.
	Certificate []byte
	// Public makes the client one without a secret.
	Public bool

	mu        sync.Mutex
	subject   string
	algorithm string
	keys      keys
	redirect  string // the one that is registered
	grants    map[string]*grant
	overrides map[string]http.HandlerFunc
	forge     func(Claims) string
	asked     map[string]int
}

// grant is a code and what it was given for.
type grant struct {
	challenge, nonce, redirect string
	used                       bool
}

// Start starts a provider that signs with RS256 and sends people back to a
// client's address.
func Start(tb testing.TB, redirect string) *Provider {
	tb.Helper()
	p := &Provider{
		subject: "ada", algorithm: "RS256", redirect: redirect, keys: newKeys("first"),
		grants: make(map[string]*grant), overrides: make(map[string]http.HandlerFunc), asked: make(map[string]int),
	}
	server := httptest.NewTLSServer(p)
	tb.Cleanup(server.Close)
	p.Issuer, p.Transport = server.URL, server.Client().Transport
	p.Certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return p
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.URL.Path]++
	override := p.overrides[r.URL.Path]
	p.mu.Unlock()
	switch {
	case override != nil:
		override(w, r)
	case r.URL.Path == DiscoveryPath:
		answer(w, http.StatusOK, p.Metadata())
	case r.URL.Path == AuthorizationPath:
		p.authorize(w, r)
	case r.URL.Path == TokenPath:
		p.exchange(w, r)
	case r.URL.Path == KeysPath:
		p.mu.Lock()
		defer p.mu.Unlock()
		answer(w, http.StatusOK, p.keys.document())
	default:
		http.NotFound(w, r)
	}
}

// Metadata is the discovery document.
func (p *Provider) Metadata() Claims {
	return Claims{
		"issuer": p.Issuer, "authorization_endpoint": p.Issuer + AuthorizationPath + "?tenant=a",
		"token_endpoint": p.Issuer + TokenPath, "jwks_uri": p.Issuer + KeysPath,
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	}
}

// SignsIn makes another person the one who consents.
func (p *Provider) SignsIn(subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.subject = subject
}

// SignWith chooses the algorithm: RS256, ES256 or EdDSA.
func (p *Provider) SignWith(algorithm string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.algorithm = algorithm
}

// Rotate replaces all keys; their ids begin with the given text.
func (p *Provider) Rotate(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = newKeys(id)
}

// Requests returns how often a path was requested.
func (p *Provider) Requests(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

// claims are those of a good token.
func (p *Provider) claims(nonce string) Claims {
	now := time.Now()
	return Claims{
		"iss": p.Issuer, "sub": p.subject, "aud": ClientID, "nonce": nonce,
		"iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(), "email": "ada@idp.example",
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have gone
}
