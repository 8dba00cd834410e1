package signin

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"astrolabe/domain"
)

// defaultReturn is the path to return to when the request names none.
const defaultReturn = "/docs"

// Login redirects the browser to the provider. The parameter return names the
// local path to come back to.
func (p *RelyingParty) Login(w http.ResponseWriter, r *http.Request) {
	p.handle(w, r, http.MethodGet, func() error {
		path, err := returnPath(r.URL.Query())
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(r.Context(), handlerTimeout)
		defer cancel()
		provider, err := p.provider.discovery(ctx)
		if err != nil {
			return err
		}
		login, token, err := p.States.Begin(path, oauth2.GenerateVerifier())
		if err != nil {
			return err
		}
		p.setLogin(w, token)
		seeOther(w, provider.oauth.AuthCodeURL(login.State, oidc.Nonce(login.Nonce), oauth2.S256ChallengeOption(login.Verifier)))
		return nil
	})
}

// returnPath reads the parameter return. Anything but a path of this service
// is invalid_request, so that nobody can be redirected elsewhere.
func returnPath(query url.Values) (string, error) {
	paths := query["return"]
	if len(paths) == 0 {
		return defaultReturn, nil
	}
	if len(paths) > 1 || !isLocal(paths[0]) {
		return "", domain.Errorf(domain.CodeInvalidRequest, "return must be a single local path such as %s.", defaultReturn)
	}
	return paths[0], nil
}

// isLocal reports whether a browser reads a text as a path on the same origin.
// Browsers treat a backslash as a slash and ignore line breaks.
func isLocal(path string) bool {
	unsafe := func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' }
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsFunc(path, unsafe) {
		return false
	}
	parsed, err := url.Parse(path)
	return err == nil && parsed.Scheme == "" && parsed.Host == "" && parsed.User == nil
}
