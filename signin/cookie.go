package signin

import (
	"net/http"
	"time"

	"astrolabe/access"
	"astrolabe/domain/account"
)

// loginCookie holds a login that has begun.
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

// setCookie sets a cookie that no script reads and that only navigation
// brings along from another site. One that lasts less than a second is
// removed.
func (p *RelyingParty) setCookie(w http.ResponseWriter, name, value string, lasts time.Duration) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the public URL is.
		Name: access.CookieName(name, p.PublicURL), Value: value, Path: "/", MaxAge: int(lasts / time.Second),
		Secure: p.secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
