package prover

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"astrolabe/domain/prove"
)

// Options configure a client. Only URL has no default.
type Options struct {
	// URL is the http or https address of the prover.
	URL string
	// Timeout limits an attempt; by default 15 minutes.
	Timeout time.Duration
	// MaxResponse limits the size of an answer in bytes; by default 32 MiB.
	MaxResponse int64
	// Faults is how many attempts in a row must fail until the circuit opens; by
	// default 5. Errors that the prover itself answers do not count.
	Faults uint
	// Pause is how long the circuit stays open until one attempt may try again;
	// by default 10 s.
	Pause time.Duration
	// StateChanged is called when the circuit opens or closes; default none.
	StateChanged func(open bool)
}

// Client sends requests to one prover. It is safe for concurrent use.
type Client struct {
	options Options
	http    *http.Client
	circuit circuitbreaker.CircuitBreaker[any]
	probe   *probe
}

var _ prove.Upstream = (*Client)(nil)

// New returns a client. Its error does not quote the URL, which may hold a key.
func New(o Options) (*Client, error) {
	address, err := url.Parse(o.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, errors.New("the prover's address is not an http or https URL with a host")
	}
	if o.Timeout == 0 {
		o.Timeout = 15 * time.Minute
	}
	if o.MaxResponse == 0 {
		o.MaxResponse = 32 << 20
	}
	if o.Faults == 0 {
		o.Faults = 5
	}
	if o.Pause == 0 {
		o.Pause = 10 * time.Second
	}
	if o.StateChanged == nil {
		o.StateChanged = func(bool) {}
	}
	c := &Client{options: o, http: newHTTP(), probe: newProbe()}
	c.circuit = circuitbreaker.NewBuilder[any]().WithFailureThreshold(o.Faults).WithSuccessThreshold(1).WithDelay(o.Pause).
		OnOpen(func(circuitbreaker.StateChangedEvent) { c.changed(true) }).
		OnClose(func(circuitbreaker.StateChangedEvent) { c.changed(false) }).Build()
	return c, nil
}

func (c *Client) changed(open bool) {
	c.probe.settle()
	c.options.StateChanged(open)
}

// newHTTP returns a client that uses each connection once, so that no request can
// meet a connection that is being closed, and the transport has nothing to replay.
// It uses no proxy, because requests contain private keys.
func newHTTP() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout: 5 * time.Second,
			DisableKeepAlives:   true,
			DisableCompression:  true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Ready implements prove.Upstream. The circuit is half-open only while its one
// attempt runs.
func (c *Client) Ready() (wait time.Duration, ready bool) {
	if c.circuit.IsHalfOpen() {
		return c.options.Pause, false
	}
	wait = c.circuit.RemainingDelay()
	return wait, wait == 0
}
