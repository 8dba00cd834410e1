package frame

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// RouteClass is the rate-limit class of an operation.
type RouteClass = account.Class

// The route classes, as in X-Service-Route-Class.
const (
	Light = account.Light
	Heavy = account.Heavy
	Batch = account.Bulk
)

// Certification is the stability of an operation's schema.
type Certification string

// The certification states of part 9 of the contract.
const (
	Certified    Certification = "certified"
	Beta         Certification = "beta"
	Experimental Certification = "experimental"
)

// Audience is the intended audience of an operation.
type Audience string

// The audiences.
const (
	External   Audience = "external"    // all integrations
	FirstParty Audience = "first_party" // our own pages only
)

// Tier is the access tier of part 9 of the contract. It follows from the
// permission.
type Tier string

// The access tiers.
const (
	Official Tier = "official"
	Advanced Tier = "advanced"
	Partner  Tier = "partner"
)

// Operation is one row of the operation table. Routing, parameters, limits,
// OpenAPI, capabilities and the evidence file are derived from it.
type Operation struct {
	ID      string // operationId, unique
	Method  string
	Path    string // chi and OpenAPI template, for example /v1/{chain}/status
	Summary string // one line; the longer description is written in openapi/

	Params  []Param
	Request string // schema of the request body, by its name in openapi/
	MaxBody int64  // limit of the request body in bytes; zero: no body is read
	// Accepts is the media type of an uploaded body, which Call.Upload returns as a
	// stream and which may arrive slowly; empty: the body is JSON.
	Accepts string
	// BodyOptional is set where the body may be absent.
	BodyOptional bool
	// IdempotencyKey is the pattern of the header Idempotency-Key, which is then
	// required and which Call.IdempotencyKey returns; empty: it is ignored.
	IdempotencyKey string
	// Only is the only chain that the operation is for. It refuses the others
	// itself, whether this deployment serves them or not. Empty: it is for all.
	Only       domain.Chain
	Permission account.Permission // required permission; empty: no key is required
	Session    bool               // requires a session instead of a key
	Personal   bool               // takes an optional key, on whose caller the response depends
	Class      RouteClass
	// Unmetered is set where the domain has budgets instead of a rate limit.
	Unmetered bool
	RPCClass  account.Class // value of X-Service-Rpc-Class; empty: no header
	Cert      Certification
	Audience  Audience
	Timeout   time.Duration // past it the answer is service_unavailable
	Cache     string        // what follows "private, " in Cache-Control
	// Conditional is set where the answer is Versioned: clients may revalidate
	// it, and get 304 if they have the current body.
	Conditional bool

	Success int // status of success
	// Replay is the status of a Replayed answer; zero if there is none.
	Replay int
	Body   string // schema of the success body, by its name in openapi/
	Media  string // media type of the success body; empty for JSON
	// Uncompressed is set where the response holds a secret or a prover's
	// result: the length of a compressed response reveals something about it.
	Uncompressed bool
	Errors       []domain.Code // in addition to those of every operation
	Proof        []string      // names of the tests that verify the operation

	Handle func(ctx context.Context, c *Call) (any, error)
	// Serve answers the request instead of Handle: it authenticates, limits and
	// renders by itself, because the operation has errors of another protocol.
	Serve http.HandlerFunc
	// Failure is the schema of the error bodies, by its name in openapi/; empty
	// for the error envelope.
	Failure string
}

// Tier returns the access tier.
func (o Operation) Tier() Tier {
	switch o.Permission {
	case account.Batch:
		return Advanced
	case account.Partner, account.Prove, account.Trace:
		return Partner
	default:
		return Official
	}
}

// Paths returns the operation's path and, below /v1, its compatibility path
// below /api.
func (o Operation) Paths() []string {
	if strings.HasPrefix(o.Path, "/v1/") {
		return []string{o.Path, "/api" + o.Path}
	}
	return []string{o.Path}
}

// guarded reports whether the operation requires an authenticated caller.
func (o Operation) guarded() bool { return o.Permission != "" || o.Session }

// Metered reports whether requests are charged to the rate limit of their class.
func (o Operation) Metered() bool { return o.guarded() && !o.Unmetered }

// takesChain reports whether the path has a chain segment.
func (o Operation) takesChain() bool { return o.hasParam("chain") }

// named returns a domain error with arguments named like the operation's
// parameters: from_block where the domain says fromBlock. Fields of a request
// body have the domain's names.
func (o Operation) named(err error) error {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return err
	}
	return e.Named(func(a domain.Argument) string {
		if o.IdempotencyKey != "" && a == "idempotencyKey" {
			return idempotencyHeader
		}
		for _, p := range o.Params {
			if strings.EqualFold(strings.ReplaceAll(p.Name, "_", ""), string(a)) {
				return p.Name
			}
		}
		return string(a)
	})
}

func (o Operation) hasParam(name string) bool {
	for _, p := range o.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

// Methods returns the methods of the operation: HEAD is served with GET.
func (o Operation) Methods() []string {
	if o.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{o.Method}
}

// EveryError lists the error codes of the operation, without duplicates.
func (o Operation) EveryError() []domain.Code {
	codes := []domain.Code{domain.CodeInvalidRequest, domain.CodeMethodNotAllowed, domain.CodeServiceUnavailable, domain.CodeInternal}
	if o.takesChain() {
		codes = append(codes, domain.CodeUnsupportedChain)
	}
	if o.Permission != "" {
		codes = append(codes, domain.CodeConflictingKeyHeaders, domain.CodeMalformedKeyHeader)
	}
	if o.guarded() {
		codes = append(codes, domain.CodeUnauthorized, domain.CodeForbidden)
	}
	if o.Metered() {
		codes = append(codes, domain.CodeRateLimited)
	}
	if o.MaxBody > 0 {
		codes = append(codes, domain.CodePayloadTooLarge, domain.CodeUnsupportedMediaType)
	}
	return append(codes, o.Errors...)
}
