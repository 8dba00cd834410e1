package idptest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"net/http"
)

// Override answers a path by another handler; nil restores the good one.
func (p *Provider) Override(path string, handler http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.overrides[path] = handler
}

// Forge makes identity tokens by another signer; nil restores the good one.
func (p *Provider) Forge(sign func(Claims) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forge = sign
}

// Changed signs properly what it has changed before.
func (p *Provider) Changed(change func(Claims)) func(Claims) string {
	good := p.keys.signer(p.algorithm)
	return func(c Claims) string {
		change(c)
		return good(c)
	}
}

// WithHeader signs properly with another header.
func (p *Provider) WithHeader(header Claims) func(Claims) string {
	return func(c Claims) string { return Token(header, c, p.keys.sign(p.algorithm)) }
}

// Unsigned makes tokens of the algorithm none.
func Unsigned(c Claims) string {
	return Token(Claims{"alg": "none"}, c, func([]byte) []byte { return nil })
}

// Confused makes tokens of HS256 whose secret is the public RSA key: a client
// that lets the token choose the algorithm accepts them.
func (p *Provider) Confused(c Claims) string {
	der, err := x509.MarshalPKIXPublicKey(&p.keys.rsa.PublicKey)
	must(err)
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	return Token(Claims{"alg": "HS256", "kid": p.keys.id + " RS256"}, c, func(input []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(input)
		return mac.Sum(nil)
	})
}

// Huge answers more than any client should read.
func Huge(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	chunk := bytes.Repeat([]byte(" "), 1<<16)
	for range 64 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// Slow answers nothing until the client gives up.
func Slow(_ http.ResponseWriter, r *http.Request) {
	// The server notices that a client has gone only after it has read all
	// that the client sent.
	_ = r.ParseForm()
	<-r.Context().Done()
}

// Redirect sends clients elsewhere, with all that they sent.
func Redirect(address string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, address, http.StatusTemporaryRedirect)
	}
}

// Document answers a JSON document.
func Document(c Claims) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, c) }
}
