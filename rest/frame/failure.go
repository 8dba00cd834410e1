package frame

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/telemetry"
)

// statuses is the one table from codes to HTTP.
var statuses = map[domain.Code]int{
	domain.CodeInvalidRequest:        http.StatusBadRequest,
	domain.CodeConflictingKeyHeaders: http.StatusBadRequest,
	domain.CodeMalformedKeyHeader:    http.StatusBadRequest,
	domain.CodeUnauthorized:          http.StatusUnauthorized,
	domain.CodeForbidden:             http.StatusForbidden,
	domain.CodeNotFound:              http.StatusNotFound,
	domain.CodeUnsupportedRoute:      http.StatusNotFound,
	domain.CodeUnsupportedChain:      http.StatusNotFound,
	domain.CodeMethodNotAllowed:      http.StatusMethodNotAllowed,
	domain.CodePayloadTooLarge:       http.StatusRequestEntityTooLarge,
	domain.CodeUnsupportedMediaType:  http.StatusUnsupportedMediaType,
	domain.CodeContractCallFailed:    http.StatusUnprocessableEntity,
	domain.CodeUnqualifiedToken:      http.StatusUnprocessableEntity,
	domain.CodeUnsupportedSelector:   http.StatusUnprocessableEntity,
	domain.CodeRateLimited:           http.StatusTooManyRequests,
	domain.CodeServiceUnavailable:    http.StatusServiceUnavailable,
	domain.CodeInternal:              http.StatusInternalServerError,

	domain.CodeFullRangeSelectorNotSupported: http.StatusUnprocessableEntity,
	domain.CodeCoverageUnavailable:           http.StatusServiceUnavailable,
}

// Status returns the HTTP status of a code.
func Status(code domain.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Envelope is the body of every failure: exactly these four fields.
type Envelope struct {
	Code      domain.Code `json:"code"`
	Message   string      `json:"message"`
	DocSlug   string      `json:"docSlug"`
	RequestID string      `json:"requestId"`
}

// retryTimeout is when to come back after a time budget ran out.
const retryTimeout = 2 * time.Second

// public turns any failure into what a client may see. A context that ended
// means that the time budget ran out, whatever layer noticed it first.
func public(ctx context.Context, err error) *domain.Error {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		return e
	}
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return domain.Unavailable("an answer within the time budget", retryTimeout, err)
	}
	return &domain.Error{Code: domain.CodeInternal, Message: "the service failed unexpectedly; the request id finds the cause in its log"}
}

// Fail renders a failure as the envelope, whoever handled the request. What the
// client does not learn goes into the log.
func Fail(w http.ResponseWriter, r *http.Request, logger *slog.Logger, err error) {
	e := public(r.Context(), err)
	access.RecordOf(r.Context()).Code = e.Code
	status := Status(e.Code)
	if status >= http.StatusInternalServerError {
		level := slog.LevelError
		switch {
		case errors.Is(r.Context().Err(), context.Canceled): // the client has gone: nobody's fault here
			level = slog.LevelDebug
		case e.Code != domain.CodeInternal && errors.Unwrap(e) == nil: // an expected state, without a cause that is hidden
			level = slog.LevelInfo
		}
		logger.Log(r.Context(), level, "request failed", "requestId", telemetry.RequestID(r.Context()), "code", e.Code, "error", err)
	}
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // do not wait for a body that nobody will read
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	w.Header().Set("Cache-Control", CacheControl("no-store"))
	Write(w, r, status, JSONMedia, Encode(Envelope{e.Code, e.Message, e.DocSlug(), telemetry.RequestID(r.Context())}))
}
