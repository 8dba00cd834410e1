package signin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// provider is the identity provider as this service knows it.
type provider struct {
	issuer       string
	clientID     string
	clientSecret string
	now          func() time.Time
	channel      channel
	discovered   *remembered[endpoints]
	keys         *remembered[keySet]
}

func newProvider(o Options) *provider {
	p := &provider{
		issuer: o.Issuer, clientID: o.ClientID, clientSecret: o.ClientSecret, now: o.Now,
		channel: newChannel(o.Transport, o.Patience),
	}
	p.discovered = newRemembered(o.Now, p.discover)
	p.keys = newRemembered(o.Now, p.fetchKeys)
	return p
}

// endpoints are the provider's addresses.
type endpoints struct {
	authorization *url.URL
	token         *url.URL
	keys          *url.URL
	// namesIssuer tells that authorization answers name their issuer (RFC
	// 9207).
	namesIssuer bool
}

// endpoints returns what discovery found, else service_unavailable.
func (p *provider) endpoints(ctx context.Context) (endpoints, error) {
	found, err := p.discovered.get(ctx)
	if err != nil {
		return endpoints{}, unavailable(fmt.Errorf("discovery: %w", err))
	}
	return found, nil
}

// discover reads the provider's metadata.
func (p *provider) discover(ctx context.Context) (endpoints, error) {
	var document struct {
		Issuer        string `json:"issuer"`
		Authorization string `json:"authorization_endpoint"`
		Token         string `json:"token_endpoint"`
		Keys          string `json:"jwks_uri"`
		NamesIssuer   bool   `json:"authorization_response_iss_parameter_supported,omitempty"`
	}
	address := strings.TrimSuffix(p.issuer, "/") + "/.well-known/openid-configuration"
	if err := p.channel.get(ctx, address, &document); err != nil {
		return endpoints{}, err
	}
	if document.Issuer != p.issuer {
		return endpoints{}, errors.New("the metadata is of another issuer than the configured one")
	}
	found := endpoints{namesIssuer: document.NamesIssuer}
	for _, e := range []struct {
		name, address string
		into          **url.URL
	}{
		{"authorization_endpoint", document.Authorization, &found.authorization},
		{"token_endpoint", document.Token, &found.token},
		{"jwks_uri", document.Keys, &found.keys},
	} {
		parsed, err := url.Parse(e.address)
		if err != nil || !Private(parsed) {
			return endpoints{}, fmt.Errorf("%s is not an https URL", e.name)
		}
		*e.into = parsed
	}
	return found, nil
}

// Private tells whether nobody else reads what is sent to an address: it is
// an https URL, or an http one of this machine. It must name no user and no
// fragment.
func Private(address *url.URL) bool {
	if address.Hostname() == "" || address.User != nil || address.Fragment != "" {
		return false
	}
	local := address.Hostname() == "localhost" || net.ParseIP(address.Hostname()).IsLoopback()
	return address.Scheme == "https" || address.Scheme == "http" && local
}
