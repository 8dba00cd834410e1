package signin

import (
	"net/http"
	"time"

	"astrolabe/access"
	"astrolabe/domain/account"
)

// loginCookie holds the login in progress.
const loginCookie = "service_login"

func (p *RelyingParty) setLogin(w http.ResponseWriter, token account.SignedText) {
	p.setCookie(w, loginCookie, token.Reveal(), account.LoginTime)
}

func (p *RelyingParty) clearLogin(w http.ResponseWriter) {
	p.setCookie(w, loginCookie, "", -time.Second)
}

func (p *RelyingParty) setSession(w http.ResponseWriter, token account.SessionText) {
	p.setCookie(w, access.SessionCookie, token.Reveal(), p.SessionLasts)
}

func (p *RelyingParty) clearSession(w http.ResponseWriter) {
	p.setCookie(w, access.SessionCookie, "", -time.Second)
}

// setCookie sets a cookie that scripts cannot read and that other sites send
// only by navigation. A lifetime of less than a second removes it.
func (p *RelyingParty) setCookie(w http.ResponseWriter, name, value string, lifetime time.Duration) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure if the public URL is https.
		Name: access.CookieName(name, p.PublicURL), Value: value, Path: "/", MaxAge: int(lifetime / time.Second),
		Secure: p.secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
