package signin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// provider is the identity provider. Its metadata and keys are fetched when
// they are first needed and again every hour, so that withdrawn keys are
// forgotten.
type provider struct {
	issuer string
	oauth  oauth2.Config // without endpoints, which are discovered
	now    func() time.Time
	client *http.Client

	discovered *remembered[*discovery]
}

func newProvider(o Options) *provider {
	p := &provider{
		issuer: o.Issuer, now: o.Now, client: newClient(o.Transport, o.RequestTimeout),
		oauth: oauth2.Config{
			ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: o.PublicURL + CallbackPath,
			Scopes: []string{oidc.ScopeOpenID},
		},
	}
	if len(o.AllowedDomains) > 0 {
		p.oauth.Scopes = append(p.oauth.Scopes, "email")
	}
	p.discovered = newRemembered(o.Now, p.discover)
	return p
}

// discovery is the provider as its metadata describes it.
type discovery struct {
	oauth oauth2.Config
	keys  *remembered[[]byte]
	verifier
	// sendsIssuer reports that authorization responses carry the parameter
	// iss (RFC 9207).
	sendsIssuer bool
}

// discovery returns the provider's metadata, or service_unavailable.
func (p *provider) discovery(ctx context.Context) (*discovery, error) {
	d, err := p.discovered.get(ctx)
	if err != nil {
		return nil, unavailable(fmt.Errorf("discovery: %w", err))
	}
	return d, nil
}

// discover fetches the provider's metadata.
func (p *provider) discover(ctx context.Context) (*discovery, error) {
	library, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.issuer)
	if err != nil {
		return nil, err
	}
	var metadata struct {
		KeysURL     string `json:"jwks_uri"`
		SendsIssuer bool   `json:"authorization_response_iss_parameter_supported"`
	}
	if err := library.Claims(&metadata); err != nil {
		return nil, err
	}
	d := &discovery{oauth: p.oauth, sendsIssuer: metadata.SendsIssuer}
	d.oauth.Endpoint = library.Endpoint()
	for name, address := range map[string]string{
		"authorization_endpoint": d.oauth.Endpoint.AuthURL, "token_endpoint": d.oauth.Endpoint.TokenURL, "jwks_uri": metadata.KeysURL,
	} {
		if !IsSecureURL(address) {
			return nil, fmt.Errorf("%s is not an https URL", name)
		}
	}
	// A fixed style keeps oauth2 from probing with a second request.
	d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if p.oauth.ClientSecret == "" {
		d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	d.keys = newRemembered(p.now, func(ctx context.Context) ([]byte, error) { return p.fetchKeys(ctx, metadata.KeysURL) })
	// The verifier outlives this request, whose context it must not keep.
	keysContext := oidc.ClientContext(context.Background(), &http.Client{Transport: keySource{d.keys}})
	d.verifier = verifier{
		tokens: library.VerifierContext(keysContext, verifierConfig(p.oauth.ClientID, p.now)),
		client: p.oauth.ClientID, now: p.now,
	}
	return d, nil
}

// IsSecureURL reports whether nobody else can read what is sent to an address:
// it is an https URL, or an http URL of this machine, without user and
// fragment.
func IsSecureURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	local := u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && local
}
