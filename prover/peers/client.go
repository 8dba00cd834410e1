package peers

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"astrolabe/domain/prove"
)

// maxAnswer is the maximum size of an answer: a result of 32 MiB in base64, and its
// envelope.
const maxAnswer = 48 << 20

// Client fetches results from other processes.
type Client struct {
	keys prove.Keys
	http *http.Client
	now  func() time.Time
}

var _ prove.Peers = (*Client)(nil)

// NewClient returns a client. The roots are trusted to name other processes; nil
// means those of the system.
func NewClient(keys prove.Keys, roots *x509.CertPool) *Client {
	return &Client{keys: keys, now: time.Now, http: &http.Client{
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: 3 * time.Second}).DialContext,
			TLSHandshakeTimeout: 3 * time.Second,
			TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13},
			DisableKeepAlives:   true, // nothing is sent twice
			DisableCompression:  true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// payload is the wire form of prove.Payload, whose parts are copied byte for byte.
type payload struct {
	Result  []byte `json:"result,omitempty"`
	Message []byte `json:"message,omitempty"`
	Data    []byte `json:"data,omitempty"`
}

// Deliver implements prove.Peers. If the answer is lost on the way, so is the
// result.
func (c *Client) Deliver(ctx context.Context, holder prove.Holder, id string) (*prove.Payload, error) {
	if err := checkAddress(holder.Address); err != nil {
		return nil, err
	}
	q, key, at, nonce := question{holder.ID, id}, c.keys()[0], milliseconds(c.now()), newNonce()
	text, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, holder.Address+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set(timeHeader, at)
	request.Header.Set(nonceHeader, nonce)
	request.Header.Set(signatureHeader, q.sign(key, at, nonce))
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("the answer of the holder exceeds %d bytes", maxAnswer)
	case !hmac.Equal([]byte(response.Header.Get(signatureHeader)), []byte(signAnswer(key, nonce, response.StatusCode, body))):
		return nil, fmt.Errorf("the holder's address answered with status %d and without its signature", response.StatusCode)
	}
	return decode(response.StatusCode, body)
}

// decode reads an authentic answer.
func decode(status int, body []byte) (*prove.Payload, error) {
	var p payload
	switch {
	case status == http.StatusNoContent:
		return nil, nil
	case status != http.StatusOK:
		return nil, fmt.Errorf("the holder answered with status %d", status)
	case json.Unmarshal(body, &p) != nil:
		return nil, errors.New("the holder's answer is malformed")
	}
	return &prove.Payload{Result: prove.Conceal(p.Result), Message: prove.Conceal(p.Message), Data: prove.Conceal(p.Data)}, nil
}

// checkAddress refuses addresses that would carry a result in the clear to another
// machine.
func checkAddress(address string) error {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return errors.New("the holder's address is malformed")
	}
	ip, err := netip.ParseAddr(parsed.Hostname())
	if parsed.Scheme == "https" || parsed.Scheme == "http" && err == nil && ip.IsLoopback() {
		return nil
	}
	return errors.New("the holder's address is neither https nor on the loopback interface")
}
