package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/node/pace"
	"astrolabe/node/wire"
)

// query is one request before it has an id.
type query struct {
	method  string
	params  json.RawMessage
	flagged json.RawMessage // params for upstreams that know response flags; nil means params
	write   bool
	probe   bool    // a health check: it checks the identity again and ignores pauses
	near    bool    // about blocks that a reorg may replace
	hedge   bool    // ask a second upstream if the first takes long
	share   string  // the caller, if identical reads may share the call; else empty
	flight  *flight // the call that identical reads share; nil if they do not
	block   *uint64 // the block that it is about, if that is named by its number
	tag     string  // the tag that names its block, such as latest; empty if none does
	follows string  // the caller whose view of the head must not go back; empty for other calls
	prefer  string  // the upstream to start at, if it is healthy
	maxSize int64   // size limit of the response; zero means the limit of the pool
	room    Room    // a limit that several responses share; nil means none
	// accept rejects an invalid result. It stores the decoded value, and may be
	// called once per upstream. Nil accepts everything.
	accept func(result json.RawMessage) error
	retry  bool          // an earlier attempt of the call has failed
	waited time.Duration // before this attempt, for rate limits
}

// exchange sends one request to an upstream when its limits allow it, and reads
// the response. Every error except *RPCError, ErrTooLarge and
// chain.ErrUnprovenClass is a *Fault.
func (p *Pool) exchange(ctx context.Context, u *upstream, q query) (json.RawMessage, error) {
	clock, waiting := p.options.clock, time.Now()
	began, err := u.pacer.Enter(ctx, clock, p.options.Wait)
	seen := Observation{Upstream: u.name, Method: q.method, Outcome: OutcomeBusy, Retry: q.retry, Waited: q.waited + time.Since(waiting)}
	if err != nil {
		fault := &Fault{Upstream: u.name, err: fmt.Errorf("%w: %w", ErrRateLimited, err)}
		if pause, ok := errors.AsType[*pace.LimitError](err); ok {
			fault.RetryAfter = pause.RetryAfter
		}
		if !p.options.Wait { // others are sent later
			p.options.Observe(seen)
		}
		return nil, fault
	}
	sent := time.Now()
	result, err := p.send(ctx, u.endpoint, q)
	seen.Took, seen.Outcome = time.Since(sent), outcomeOf(ctx, err)
	u.pacer.Leave(began, clock.Now(), p.verdict(err, seen), pauseOf(err))
	p.options.Observe(seen)
	return result, err
}

// verdict says what the outcome of a request means for the limits.
func (p *Pool) verdict(err error, seen Observation) pace.Verdict {
	switch {
	case seen.Outcome == OutcomeLimited:
		return pace.Refused
	case seen.Outcome == OutcomeOK, seen.Outcome == OutcomeNodeError:
		return pace.Answered
	case errors.Is(err, context.DeadlineExceeded) && seen.Took >= p.options.timing.fairPatience:
		return pace.TimedOut
	}
	return pace.Unknown
}

// pauseOf returns the delay that an upstream requested.
func pauseOf(err error) time.Duration {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault.RetryAfter
	}
	return 0
}

// send sends one request to one endpoint and reads the response, with the errors
// of exchange.
func (p *Pool) send(ctx context.Context, e endpoint, q query) (json.RawMessage, error) {
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
		switch err = q.accept(result); {
		case errors.Is(err, chain.ErrUnprovenClass): // honest nodes have such classes
			return nil, fmt.Errorf("%s: %w", e.name, err)
		case err != nil:
			err = wire.Invalid("%w", err)
		}
	}
	err = asLimit(response, err, q.write)
	_, answered := errors.AsType[*RPCError](err)
	if err == nil {
		chain.AnsweredBy(ctx, e.name)
	}
	if err == nil || answered || errors.Is(err, ErrTooLarge) && !q.write {
		return result, err
	}
	fault := &Fault{Upstream: e.name, err: withoutURL(ctx, err), sent: q.write}
	if _, ok := errors.AsType[*statusError](err); ok || errors.Is(err, ErrRateLimited) {
		fault.RetryAfter = retryAfter(response.Header.Get("Retry-After"), p.options.clock.Now())
	}
	return nil, fault
}

// newRequest returns the HTTP request, and a function that reports after a
// failure whether any bytes of a write may have been sent.
//
// The HTTP transport replays a request on a new connection if a reused one
// turns out to be dead. Reads want this, so they are marked idempotent (a
// header without values is not sent). A write has a body that can be read only
// once, no GetBody, and no such mark.
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
	maps.Copy(request.Header, e.header)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if !write {
		request.Header["Idempotency-Key"] = []string{}
	}
	return request, sent, nil
}

// withoutURL removes the URL from a client error. If ctx ended, it returns the
// cause of that instead.
func withoutURL(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if quoting, ok := errors.AsType[*url.Error](err); ok {
		return quoting.Err
	}
	return err
}
