package signin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"astrolabe/domain"
)

const (
	// maxResponse and maxResponseHeader bound each response of the provider.
	maxResponse       = 256 << 10
	maxResponseHeader = 64 << 10
	// defaultTimeout bounds each request to the provider.
	defaultTimeout = 10 * time.Second
	// maxLogged bounds what one log line quotes of the provider's responses.
	maxLogged = 200
)

// newClient returns the HTTP client that go-oidc and oauth2 send all requests
// to the provider with. It follows no redirects: codes and secrets are for the
// provider alone.
func newClient(base http.RoundTripper, timeout time.Duration) *http.Client {
	if base == nil {
		standard := http.DefaultTransport.(*http.Transport).Clone()
		standard.MaxResponseHeaderBytes = maxResponseHeader
		base = standard
	}
	if timeout == 0 {
		timeout = defaultTimeout
	}
	return &http.Client{
		Transport:     boundedTransport{base, timeout},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("redirects are not followed") },
	}
}

// boundedTransport bounds responses in size and time. go-oidc reads whatever
// the provider sends, so RoundTrip reads the whole body before it returns.
type boundedTransport struct {
	base    http.RoundTripper
	timeout time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t boundedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(request.Context(), t.timeout)
	defer cancel()
	response, err := t.base.RoundTrip(request.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err == nil { // a server may end its response properly after we have given up
		err = ctx.Err()
	}
	if err == nil && len(body) > maxResponse {
		err = fmt.Errorf("the response exceeds %d bytes", maxResponse)
	}
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// unavailable reports that the provider cannot be used. The cause is logged
// and not shown to clients.
func unavailable(cause error) error {
	return domain.Unavailable(refetchInterval, errors.New(excerpt(cause.Error())), "The identity provider cannot be reached. Retry later.")
}

// excerpt shortens a text that may quote the provider for the log.
func excerpt(text string) string {
	if len(text) > maxLogged {
		return text[:maxLogged] + "…"
	}
	return text
}
