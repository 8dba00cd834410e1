package signin

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
)

// The routes that a facade mounts.
const (
	LoginPath    = "/auth/login"
	CallbackPath = "/auth/callback"
	LogoutPath   = "/auth/logout"
)

// Options are what signing in stands on. The URLs have been checked.
type Options struct {
	// PublicURL is this service's origin as browsers see it, without a slash
	// at its end.
	PublicURL string
	// Issuer is the provider's, exactly as it names itself.
	Issuer   string
	ClientID string
	// ClientSecret is empty for a public client, which has PKCE alone.
	ClientSecret string
	SessionLasts time.Duration

	Gate       *access.Gate
	Workspaces *account.Workspaces
	States     *account.LoginStates
	Now        func() time.Time
	Logger     *slog.Logger
	// Fail renders a failure in the facade's one shape.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
	// Transport reaches the provider; nil is the usual one.
	Transport http.RoundTripper
	// Patience is how long the provider may take for one answer; zero is 10 s.
	Patience time.Duration
}

// RelyingParty signs people in and out. It is safe for concurrent use.
type RelyingParty struct {
	Options
	provider *provider
	// exchanges bounds the callbacks that speak to the provider at one time.
	exchanges chan struct{}
}

// maxExchanges keeps invented callbacks from turning into load on the
// provider.
const maxExchanges = 16

// answerTime bounds what a browser waits for, whatever the provider does.
const answerTime = 15 * time.Second

// New makes the relying party. It does not speak to the provider yet: a
// provider that is down keeps nobody from starting.
func New(o Options) *RelyingParty {
	return &RelyingParty{Options: o, provider: newProvider(o), exchanges: make(chan struct{}, maxExchanges)}
}

func (p *RelyingParty) redirectURI() string { return p.PublicURL + CallbackPath }

// secure tells whether cookies are for encrypted connections only.
func (p *RelyingParty) secure() bool { return strings.HasPrefix(p.PublicURL, "https://") }

// handle answers one method. Nothing of an answer is kept by caches.
func (p *RelyingParty) handle(w http.ResponseWriter, r *http.Request, method string, answer func() error) {
	header := w.Header()
	header.Set("Cache-Control", "private, no-store")
	if r.Method != method {
		header.Set("Allow", method)
		p.Fail(w, r, domain.Errorf(domain.CodeMethodNotAllowed, "this route takes %s", method))
		return
	}
	if err := answer(); err != nil {
		access.Challenge(header, err, "")
		p.Fail(w, r, err)
	}
}

// seeOther sends the browser on.
func seeOther(w http.ResponseWriter, address string) {
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusSeeOther)
}
