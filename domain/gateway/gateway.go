package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/share"
)

// retryLater is the Retry-After where the node names no delay.
const retryLater = 2 * time.Second

// lookUpAfter is the Retry-After of a write whose outcome is unknown: by then an
// accepted transaction is in a block, so that its sender finds it.
const lookUpAfter = 30 * time.Second

// Gateway answers the JSON-RPC requests of one chain.
type Gateway struct {
	reads    *reads
	feeds    *feeds
	node     Node
	quotas   *account.Quotas
	document json.RawMessage // of rpc.discover
	unread   *share.Bytes    // answers that the clients of sessions have not received
}

// Options are the dependencies of a Gateway.
type Options struct {
	Node   Node
	Quotas *account.Quotas
	// Accepted returns the newest block that L1 has accepted, false while it is
	// not known. Answers about older blocks are cached.
	Accepted func(context.Context) (uint64, bool)
	// Now is the clock.
	Now func() time.Time
}

// New returns a gateway.
func New(o Options) *Gateway {
	return &Gateway{node: o.Node, quotas: o.Quotas, reads: newReads(o), feeds: newFeeds(o.Node, o.Now), document: document(),
		unread: share.New(maxUnread, maxUnread/2)}
}

// Answer is the outcome of one request.
type Answer struct {
	// ID is the id of the request; nil means that it is not answered.
	ID json.RawMessage
	// Class is the class that the request was charged or refused in.
	Class account.Class
	// Decision is the state of the rate limit afterwards.
	Decision account.Decision
	// Required is the permission that the caller lacks; empty if none.
	Required account.Permission

	// One of these is set.
	Result    json.RawMessage
	NodeError json.RawMessage // the error object of the node
	Err       *Error

	forwarded bool // the node was asked
}

// Answer answers a single request. The context holds its caller.
func (g *Gateway) Answer(ctx context.Context, r Request) Answer { return g.answer(ctx, r, nil) }

// Refused is the answer to a body that has no answer of its own. Like every
// request that is not forwarded it costs one of RefusedClass: otherwise a client
// could have the service parse without a limit.
func (g *Gateway) Refused(ctx context.Context, why *Error) Answer {
	return g.refuse(ctx, Answer{ID: null, Err: why})
}

// RefusedClass is the class that requests are charged to that are not forwarded.
const RefusedClass = account.RPCReadLight

// refuse charges for a request that is not forwarded. If that is denied, the
// denial is the answer.
func (g *Gateway) refuse(ctx context.Context, a Answer) Answer {
	if a.Class == "" {
		a.Class = RefusedClass
	}
	if denied := g.charge(ctx, RefusedClass, &a); denied != nil {
		a.Err, a.NodeError = denied, nil
	}
	return a
}

func (g *Gateway) answer(ctx context.Context, r Request, portion *Portion) Answer {
	a := Answer{ID: r.ID}
	m, known := Lookup(r.Method)
	switch {
	case r.Invalid != nil:
		a.Err = r.Invalid
	case !known:
		a.Err = invalid(MethodNotFound, ReasonMethod, "The method is not supported. rpc.discover lists the supported methods.")
	case m.Subscribes():
		a.Class = m.Class
		a.Err = invalid(MethodNotFound, ReasonMethod, "Subscriptions are served over WebSocket only, and not in a batch.")
	case m.Writes() && r.ID == nil:
		a.ID = null
		a.Err = invalid(InvalidRequest, ReasonInvalidRequest, "A write needs an id, so that its outcome can be reported. It was not forwarded.")
	case r.ID == nil: // a notification: nobody would read the answer
	default:
		a = g.admit(ctx, m, a)
		if a.Err == nil {
			g.forward(ctx, m, r, portion, &a)
		}
		return a
	}
	return g.refuse(ctx, a)
}

// admit checks the permission and charges the rate limit.
func (g *Gateway) admit(ctx context.Context, m Method, a Answer) Answer {
	caller := account.CallerOf(ctx)
	a.Class = m.Class
	if !caller.May(m.Permission) {
		a.Required, a.Err = m.Permission, missing(m.Permission)
		return a
	}
	a.Err = g.charge(ctx, m.Class, &a)
	return a
}

// charge takes one from the caller's rate limit of a class, and stores the
// decision in the answer.
func (g *Gateway) charge(ctx context.Context, class account.Class, a *Answer) *Error {
	decision, err := g.quotas.Take(ctx, account.CallerOf(ctx), class, 1)
	a.Decision = decision
	if err == nil {
		err = decision.Err()
	}
	if err != nil {
		return Refusal(ctx, err)
	}
	return nil
}

func missing(p account.Permission) *Error {
	if p == account.Write {
		return &Error{Code: WriteScopeMissing, Reason: ReasonWriteScope, Status: http.StatusForbidden,
			Message: "This method requires the permission write, which the API key does not have."}
	}
	return &Error{Code: Unauthenticated, Reason: ReasonScope, Status: http.StatusForbidden,
		Message: "This method requires the permission " + string(p) + ", which the API key does not have."}
}

// Refusal converts an error of authentication or of the rate limit.
func Refusal(ctx context.Context, err error) *Error {
	e := domain.Public(ctx, err)
	refused := &Error{Message: e.Message, RetryAfter: e.RetryAfter, cause: err}
	switch e.Code {
	case domain.CodeConflictingKeyHeaders, domain.CodeMalformedKeyHeader:
		refused.Code, refused.Reason, refused.Status = InvalidRequest, ReasonKeyMalformed, http.StatusBadRequest
	case domain.CodeUnauthorized:
		refused.Code, refused.Reason, refused.Status = Unauthenticated, ReasonKeyRequired, http.StatusUnauthorized
	case domain.CodeForbidden:
		refused.Code, refused.Reason, refused.Status = Unauthenticated, ReasonScope, http.StatusForbidden
	case domain.CodeRateLimited:
		refused.Code, refused.Reason, refused.Status = RateLimited, ReasonRateLimited, http.StatusTooManyRequests
	case domain.CodeServiceUnavailable:
		refused.Code, refused.Reason, refused.Status = Unavailable, ReasonAuthorizer, http.StatusServiceUnavailable
	default:
		refused.Code, refused.Reason, refused.Status = InternalError, ReasonInternal, http.StatusOK
	}
	return refused
}

// forward checks the params, asks the node and checks its answer.
func (g *Gateway) forward(ctx context.Context, m Method, r Request, portion *Portion, a *Answer) {
	if m.Name == Discover {
		a.Result = g.document
		return
	}
	if m.checkParams != nil {
		if a.Err = m.checkParams(r.Params); a.Err != nil {
			return
		}
	}
	call := Call{Method: m.Name, Params: r.Params, Write: m.Writes(), MaxAnswer: m.MaxAnswer(), Portion: portion}
	a.forwarded = true
	var err error
	if call.Write {
		a.Result, err = g.node.Forward(ctx, call)
	} else {
		a.Result, err = g.reads.forward(ctx, g.node, m, call)
	}
	if err == nil && m.complete != nil {
		if incomplete := m.complete(a.Result); incomplete != nil {
			a.Result = nil
			portion.Return()
			a.Err = invalid(Unavailable, ReasonTraceIncomplete, "The node returned a trace in which a required field is missing or malformed.")
			a.Err.cause = incomplete
		}
		return
	}
	if refused, ok := errors.AsType[*NodeError](err); ok {
		a.NodeError = refused.Raw
	} else if err != nil {
		portion.Return()
		a.Err = failure(ctx, m, err)
	}
}

// failure converts an error of the node's transport.
func failure(ctx context.Context, m Method, err error) *Error {
	var down *UnavailableError
	switch {
	case errors.Is(err, ErrTooLarge) && m.tooLarge != "":
		return invalid(Unavailable, m.tooLarge, "The answer exceeds the limit of %d bytes.", m.MaxAnswer())
	case errors.Is(err, ErrTooLarge):
		return invalid(InternalError, ReasonInternal, "The answer exceeds the limit of %d bytes.", m.MaxAnswer())
	case errors.Is(err, ErrDeliveryUnknown):
		return unavailable(ReasonUpstream, lookUpAfter, err, "The transaction was sent to a node, which did not answer: it may or may not have been accepted. Look for its hash after the delay in Retry-After, before you send it again.")
	case errors.Is(err, ErrSaturated):
		return unavailable(ReasonSaturated, retryLater, err, "Too many calls to the node are in flight. Retry.")
	case errors.As(err, &down):
		return unavailable(ReasonUpstream, max(down.RetryAfter, retryLater), err, "No node could answer. Retry.")
	case errors.Is(err, ErrInterrupted):
		return unavailable(ReasonUpstream, retryLater, err, "No node could answer. Retry.")
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return unavailable(ReasonUpstream, retryLater, err, "The node did not answer in time. Retry.")
	}
	e := invalid(InternalError, ReasonInternal, "The service failed unexpectedly. Report the request ID to the operator, who can find the cause in the log.")
	e.cause = err
	return e
}
