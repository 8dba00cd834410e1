package signin

import (
	"net/http"

	"astrolabe/domain/account"
)

// Logout revokes the session of the bearer token or, for requests of our own
// pages, of the cookie.
func (p *RelyingParty) Logout(w http.ResponseWriter, r *http.Request) {
	p.handle(w, r, http.MethodPost, func() error {
		caller, err := p.signedIn(r)
		if err != nil {
			return err
		}
		if _, err := p.Gate.Sessions.Revoke(r.Context(), caller.Subject, account.ActorOf(caller)); err != nil {
			return err
		}
		p.clearSession(w)
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// signedIn authenticates who signs out. The cookie counts only if Origin names
// this service.
func (p *RelyingParty) signedIn(r *http.Request) (*account.Caller, error) {
	origins := r.Header["Origin"]
	ours := len(origins) == 1 && origins[0] == p.PublicURL
	if r.Header["Authorization"] != nil || !ours {
		return p.Gate.Session(r) // which does not accept the cookie for POST
	}
	return p.Gate.CookieSession(r)
}
