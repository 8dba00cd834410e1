package signin

import (
	"cmp"
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

// Options configure a RelyingParty. The caller has validated the URLs.
type Options struct {
	// PublicURL is this service's origin as browsers see it, without a
	// trailing slash.
	PublicURL string
	// Issuer is the provider's issuer identifier, exactly as its metadata and
	// tokens spell it.
	Issuer   string
	ClientID string
	// ClientSecret is empty for a public client, which relies on PKCE alone.
	ClientSecret string
	SessionLasts time.Duration
	// SessionIdle ends a session that is not used for so long; zero means no
	// such limit.
	SessionIdle time.Duration
	// AllowedDomains and AllowedSubjects restrict who may sign in: people whose
	// verified e-mail address has one of the domains, and people with one of
	// the subjects. If both are empty, everybody may whom the provider knows.
	AllowedDomains, AllowedSubjects []string
	// FailureLimit bounds the failed sign-ins of one client address per minute;
	// zero means 20.
	FailureLimit int

	Gate       *access.Gate
	Workspaces *account.Workspaces
	States     *account.LoginStates
	Now        func() time.Time
	Logger     *slog.Logger
	// Fail renders an error in the facade's format.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
	// Transport sends requests to the provider; nil means a clone of
	// http.DefaultTransport.
	Transport http.RoundTripper
	// RequestTimeout bounds each request to the provider; zero means 10 s.
	RequestTimeout time.Duration
}

// RelyingParty signs people in and out. It is safe for concurrent use.
type RelyingParty struct {
	Options
	provider *provider
	// exchanges are the callbacks that talk to the provider.
	exchanges slots
	// failures keeps clients from making us ask the provider again and again.
	failures *access.Failures
}

// defaultFailureLimit allows for several people behind one address.
const defaultFailureLimit = 20

// handlerTimeout bounds how long a browser waits, whatever the provider does.
const handlerTimeout = 15 * time.Second

// New makes the relying party. It contacts the provider at the first sign-in,
// so that the service starts while the provider is down.
func New(o Options) *RelyingParty {
	return &RelyingParty{
		Options: o, provider: newProvider(o), exchanges: slots{held: map[string]int{}},
		failures: access.NewFailuresOf(cmp.Or(o.FailureLimit, defaultFailureLimit), o.Now),
	}
}

// secure reports whether cookies are for encrypted connections only.
func (p *RelyingParty) secure() bool { return strings.HasPrefix(p.PublicURL, "https://") }

// handle serves one method of a route and forbids caching.
func (p *RelyingParty) handle(w http.ResponseWriter, r *http.Request, method string, serve func() error) {
	header := w.Header()
	header.Set("Cache-Control", "private, no-store")
	if r.Method != method {
		header.Set("Allow", method)
		p.Fail(w, r, domain.Errorf(domain.CodeMethodNotAllowed, "This route accepts only %s, not %s.", method, r.Method))
		return
	}
	if err := serve(); err != nil {
		access.Challenge(header, err, "")
		p.Fail(w, r, err)
	}
}

// seeOther redirects the browser.
func seeOther(w http.ResponseWriter, address string) {
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusSeeOther)
}
