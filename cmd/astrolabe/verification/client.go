package verification

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

// The limits of a request and of its response.
const (
	requestTime = 30 * time.Second
	uploadTime  = 15 * time.Minute
	mostJSON    = 1 << 20
)

// client calls the verification routes of a service. It sends every request
// once: the caller decides what may be repeated.
type client struct {
	http *http.Client
	base string // URL of the service, without a slash at the end
	jobs string // URL of the jobs of the chain
	key  string
}

func newClient(address string, chain domain.Chain, key string) (*client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, usage(errors.New("--url must be an http or https URL without password, query and fragment, such as https://explorer.example"))
	}
	base := strings.TrimRight(u.String(), "/")
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // Go repeats requests only on connections that it reuses
	return &client{
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		base: base, jobs: base + "/v1/" + string(chain) + "/verification-jobs", key: key,
	}, nil
}

// job is what the client reads of a job.
type job struct {
	ID                string         `json:"jobId"`
	State             verify.State   `json:"state"`
	PollAfterSeconds  int            `json:"pollAfterSeconds"`
	FailureCode       string         `json:"failureCode"`
	FailureMessage    string         `json:"failureMessage"`
	Retryable         bool           `json:"retryable"`
	ProducedClassHash *starknet.Felt `json:"producedClassHash"`
	ReceiptID         uint64         `json:"receiptId"`
	Build             *struct {
		LogTail string `json:"logTail"`
	} `json:"build"`
}

// refusal is an error response of the service.
type refusal struct {
	Status     int
	Code       string
	Message    string
	RequestID  string
	RetryAfter time.Duration // 0 if the service named none
}

// Error begins with the code of the service.
func (r *refusal) Error() string {
	text := fmt.Sprintf("%s: %s", r.Code, r.Message)
	if r.RetryAfter > 0 {
		text += fmt.Sprintf(" Retry after %s.", r.RetryAfter)
	}
	if r.RequestID != "" {
		text += " (request " + r.RequestID + ")"
	}
	return text
}

// temporary reports whether the same request may succeed later.
func (r *refusal) temporary() bool {
	return r.Status == http.StatusTooManyRequests || r.Status >= http.StatusInternalServerError
}

func (c *client) create(ctx context.Context, p verify.Package, idempotencyKey string) (*job, error) {
	return c.readJob(ctx, http.MethodPost, c.jobs, requestTime, p.Canonical(), http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {idempotencyKey}})
}

func (c *client) upload(ctx context.Context, id string, archive []byte) (*job, error) {
	return c.readJob(ctx, http.MethodPut, c.jobURL(id)+"/source", uploadTime, archive, http.Header{"Content-Type": {"application/gzip"}})
}

func (c *client) read(ctx context.Context, id string) (*job, error) {
	return c.readJob(ctx, http.MethodGet, c.jobURL(id), requestTime, nil, nil)
}

func (c *client) cancel(ctx context.Context, id string) (*job, error) {
	return c.readJob(ctx, http.MethodPost, c.jobURL(id)+"/cancel", requestTime, nil, nil)
}

func (c *client) jobURL(id string) string { return c.jobs + "/" + url.PathEscape(id) }

// receipt reads the receipt of a job.
func (c *client) receipt(ctx context.Context, id string, most int64) ([]byte, error) {
	return c.send(ctx, http.MethodGet, c.jobURL(id)+"/receipt", requestTime, nil, c.header(), most)
}

// public reads a document that needs no key, and so sends none.
func (c *client) public(ctx context.Context, path string, most int64) ([]byte, error) {
	return c.send(ctx, http.MethodGet, c.base+path, requestTime, nil, http.Header{}, most)
}

func (c *client) header() http.Header { return http.Header{"X-Service-Api-Key": {c.key}} }

func (c *client) readJob(ctx context.Context, method, address string, limit time.Duration, body []byte, extra http.Header) (*job, error) {
	header := c.header()
	for name, values := range extra {
		header[name] = values
	}
	content, err := c.send(ctx, method, address, limit, body, header, mostJSON)
	if err != nil {
		return nil, err
	}
	var j job
	if err := json.Unmarshal(content, &j); err != nil {
		return nil, fmt.Errorf("the response to %s %s is not a job: %w", method, address, err)
	}
	if j.ID == "" || !slices.Contains(verify.States, j.State) {
		return nil, fmt.Errorf("the response to %s %s is not a job: it has the id %q and the state %q", method, address, j.ID, j.State)
	}
	j.FailureMessage = printable(j.FailureMessage)
	return &j, nil
}

// send sends a request and returns the body of a response with the status 200, or
// 201 or 202 if the request is not a GET. Other responses are a *refusal: their
// body is never the document that was asked for.
func (c *client) send(ctx context.Context, method, address string, limit time.Duration, body []byte, header http.Header, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	if body != nil { // without GetBody, the transport cannot send it again
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	request.Header = header
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the response to %s %s: %w", method, address, err)
	}
	switch status := response.StatusCode; {
	case status == http.StatusOK, method != http.MethodGet && (status == http.StatusCreated || status == http.StatusAccepted):
	default:
		return nil, refused(response, content)
	}
	if int64(len(content)) > most {
		return nil, fmt.Errorf("the response to %s %s exceeds the limit of %d bytes", method, address, most)
	}
	return content, nil
}

// refused reads the error envelope of a response.
func refused(response *http.Response, content []byte) *refusal {
	var envelope struct{ Code, Message, RequestID string }
	if json.Unmarshal(content, &envelope) != nil || envelope.Code == "" {
		envelope.Code, envelope.Message = "http_"+strconv.Itoa(response.StatusCode), "The response has no error code: "+response.Status+"."
	}
	r := &refusal{Status: response.StatusCode, Code: printable(envelope.Code), Message: printable(envelope.Message), RequestID: printable(envelope.RequestID)}
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil {
		r.RetryAfter = time.Duration(seconds) * time.Second
	}
	return r
}
