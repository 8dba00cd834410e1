package signin

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"astrolabe/domain"
)

// defaultReturn is where a person goes who did not say.
const defaultReturn = "/docs"

// Login sends a person to the provider. The parameter return names the local
// path to come back to.
func (p *RelyingParty) Login(w http.ResponseWriter, r *http.Request) {
	p.handle(w, r, http.MethodGet, func() error {
		place, err := returnPath(r.URL.Query())
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerTime)
		defer cancel()
		endpoints, err := p.provider.endpoints(ctx)
		if err != nil {
			return err
		}
		login, token, err := p.States.Begin(place)
		if err != nil {
			return err
		}
		p.setLogin(w, token)
		seeOther(w, p.authorizationRequest(endpoints, login))
		return nil
	})
}

// returnPath reads the local path to return to. What is not plainly a path of
// this service is invalid_request, so that nobody can be sent elsewhere.
func returnPath(query url.Values) (string, error) {
	places := query["return"]
	if len(places) == 0 {
		return defaultReturn, nil
	}
	place := places[0]
	if len(places) > 1 || !isLocal(place) {
		return "", domain.Errorf(domain.CodeInvalidRequest, "return must be one local path such as %s", defaultReturn)
	}
	return place, nil
}

// isLocal tells whether a browser reads a text as a path on the same origin.
// Browsers take a backslash for a slash and ignore line breaks.
func isLocal(place string) bool {
	unsafe := func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' }
	if !strings.HasPrefix(place, "/") || strings.HasPrefix(place, "//") || strings.ContainsFunc(place, unsafe) {
		return false
	}
	parsed, err := url.Parse(place)
	return err == nil && parsed.Scheme == "" && parsed.Host == "" && parsed.User == nil
}
