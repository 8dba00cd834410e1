package idptest

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// authorize consents and sends the browser back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	p.mu.Lock()
	defer p.mu.Unlock()
	if query.Get("client_id") != ClientID || query.Get("redirect_uri") != p.redirect {
		http.Error(w, "the client or its address is unknown", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {query.Get("state")}, "iss": {p.Issuer}}
	sound := r.Method == http.MethodGet && query.Get("tenant") == "a" && query.Get("response_type") == "code" &&
		strings.Contains(" "+query.Get("scope")+" ", " openid ") && query.Get("code_challenge_method") == "S256" &&
		len(query.Get("code_challenge")) == 43 && len(query.Get("state")) >= 22 && len(query.Get("nonce")) >= 22
	if sound {
		code := rand.Text()
		p.grants[code] = &grant{challenge: query.Get("code_challenge"), nonce: query.Get("nonce"), redirect: p.redirect}
		back.Set("code", code)
	} else {
		back.Set("error", "invalid_request")
	}
	http.Redirect(w, r, p.redirect+"?"+back.Encode(), http.StatusFound)
}

// exchange trades a code, once, for tokens.
func (p *Provider) exchange(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !p.authenticates(r) {
		answer(w, http.StatusUnauthorized, Claims{"error": "invalid_client", "error_description": "who are you?"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	given := p.grants[r.PostFormValue("code")]
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if r.PostFormValue("grant_type") != "authorization_code" || given == nil || given.used ||
		given.redirect != r.PostFormValue("redirect_uri") || given.challenge != encode(sum[:]) {
		answer(w, http.StatusBadRequest, Claims{"error": "invalid_grant", "error_description": "the code is spent or not yours"})
		return
	}
	given.used = true
	claims, sign := p.claims(given.nonce), p.keys.signer(p.algorithm)
	if p.forge != nil {
		sign = p.forge
	}
	accessToken := "at-" + rand.Text()
	claims["at_hash"] = accessTokenHash(p.algorithm, accessToken)
	answer(w, http.StatusOK, Claims{
		"access_token": accessToken, "token_type": "Bearer", "expires_in": 300, "id_token": sign(claims),
	})
}

// accessTokenHash is half the hash of an access token. The algorithm that signs
// the identity token decides which hash.
func accessTokenHash(algorithm, accessToken string) string {
	if algorithm == "EdDSA" {
		sum := sha512.Sum512([]byte(accessToken))
		return encode(sum[:32])
	}
	sum := sha256.Sum256([]byte(accessToken))
	return encode(sum[:16])
}

// authenticates tells whether the client shows its secret in the header, or
// its id alone when it has none.
func (p *Provider) authenticates(r *http.Request) bool {
	id, secret, basic := r.BasicAuth()
	if p.Public {
		return !basic && r.PostFormValue("client_id") == ClientID
	}
	return basic && id == url.QueryEscape(ClientID) && secret == url.QueryEscape(ClientSecret)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
