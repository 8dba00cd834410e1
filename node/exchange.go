package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"astrolabe/node/wire"
)

// query is one request before it has an id.
type query struct {
	method  string
	params  json.RawMessage
	write   bool
	maxSize int64 // the largest answer that the caller takes; zero leaves it to the pool
	// accept refuses a result that is not what was asked for. It keeps what
	// it decoded, and may be called once for each upstream. Nil accepts all.
	accept func(result json.RawMessage) error
}

// exchange sends one request to one endpoint and reads its answer. Every
// failure but an *RPCError and ErrTooLarge is a *Fault.
func (p *Pool) exchange(ctx context.Context, e endpoint, q query) (json.RawMessage, error) {
	id := p.ids.Add(1)
	request, sent, err := newRequest(ctx, e, wire.EncodeRequest(id, q.method, q.params), q.write)
	if err != nil {
		return nil, &Fault{Upstream: e.name, err: err}
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, &Fault{Upstream: e.name, err: withoutURL(ctx, err), sent: sent()}
	}
	defer func() { _ = response.Body.Close() }()
	result, err := p.readAnswer(response, id, q)
	if err == nil && q.accept != nil {
		if err = q.accept(result); err != nil {
			err = wire.Invalid("%w", err)
		}
	}
	_, answered := errors.AsType[*RPCError](err)
	if err == nil || answered || errors.Is(err, ErrTooLarge) && !q.write {
		return result, err
	}
	fault := &Fault{Upstream: e.name, err: withoutURL(ctx, err), sent: q.write}
	if status, ok := errors.AsType[*statusError](err); ok {
		fault.RetryAfter = status.retryAfter
	}
	return nil, fault
}

// newRequest makes the HTTP request and a function that tells, once the
// request has failed, whether anything of a write may have been sent.
//
// The transport replays a request on a fresh connection when a kept one turns
// out to be dead. That is welcome for reads, so they are marked idempotent
// (a header without values is not sent). A write has a body that can be read
// only once, nothing to rewind it by, and no such mark.
func newRequest(ctx context.Context, e endpoint, body []byte, write bool) (*http.Request, func() bool, error) {
	var content io.Reader = bytes.NewReader(body)
	sent := func() bool { return false }
	if write {
		once := newSending(body)
		content, sent = once, func() bool { return !once.withdraw() }
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, content)
	if err != nil {
		return nil, nil, errors.New("the URL cannot be used") // the cause quotes it
	}
	request.ContentLength = int64(len(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if !write {
		request.Header["Idempotency-Key"] = []string{}
	}
	return request, sent, nil
}

// withoutURL takes the URL out of a client's error, and prefers the reason
// why ctx ended where that is the cause.
func withoutURL(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if quoting, ok := errors.AsType[*url.Error](err); ok {
		return quoting.Err
	}
	return err
}
