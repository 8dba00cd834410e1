package frame

import (
	"log/slog"
	"net/http"
	"strconv"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/telemetry"
)

// statuses maps error codes to HTTP statuses.
var statuses = map[domain.Code]int{
	domain.CodeInvalidRequest:         http.StatusBadRequest,
	domain.CodeConflictingKeyHeaders:  http.StatusBadRequest,
	domain.CodeMalformedKeyHeader:     http.StatusBadRequest,
	domain.CodeUnauthorized:           http.StatusUnauthorized,
	domain.CodeForbidden:              http.StatusForbidden,
	domain.CodeNotFound:               http.StatusNotFound,
	domain.CodeUnsupportedRoute:       http.StatusNotFound,
	domain.CodeUnsupportedChain:       http.StatusNotFound,
	domain.CodeMethodNotAllowed:       http.StatusMethodNotAllowed,
	domain.CodePayloadTooLarge:        http.StatusRequestEntityTooLarge,
	domain.CodeUnsupportedMediaType:   http.StatusUnsupportedMediaType,
	domain.CodeContractCallFailed:     http.StatusUnprocessableEntity,
	domain.CodeUnqualifiedToken:       http.StatusUnprocessableEntity,
	domain.CodeUnsupportedToken:       http.StatusUnprocessableEntity,
	domain.CodeHistoryNotIndexed:      http.StatusUnprocessableEntity,
	domain.CodeCensusNotCertified:     http.StatusUnprocessableEntity,
	domain.CodeContractResultTooLarge: http.StatusUnprocessableEntity,
	domain.CodeRateLimited:            http.StatusTooManyRequests,
	domain.CodeServiceUnavailable:     http.StatusServiceUnavailable,
	domain.CodeInternal:               http.StatusInternalServerError,

	domain.CodeFullRangeSelectorNotSupported: http.StatusUnprocessableEntity,
	domain.CodeCoverageUnavailable:           http.StatusServiceUnavailable,

	domain.CodeLengthRequired:         http.StatusLengthRequired,
	domain.CodeIdempotencyKeyRequired: http.StatusBadRequest,
	domain.CodeInvalidIdempotencyKey:  http.StatusBadRequest,
	domain.CodeIdempotencyKeyReused:   http.StatusConflict,

	domain.CodeInvalidVerificationPackage:   http.StatusUnprocessableEntity,
	domain.CodeUnsupportedPolicy:            http.StatusUnprocessableEntity,
	domain.CodeUnsupportedVerificationChain: http.StatusUnprocessableEntity,
	domain.CodeDeclarationUnavailable:       http.StatusUnprocessableEntity,
	domain.CodeVerificationActiveJob:        http.StatusTooManyRequests,
	domain.CodeVerificationDailyQuota:       http.StatusTooManyRequests,
	domain.CodeVerificationQueueFull:        http.StatusServiceUnavailable,
	domain.CodeVerificationUnavailable:      http.StatusServiceUnavailable,
	domain.CodeVerificationUploadMismatch:   http.StatusUnprocessableEntity,
	domain.CodeVerificationSourceCommitted:  http.StatusConflict,
	domain.CodeVerificationJobTerminal:      http.StatusConflict,
	domain.CodeProverDailyBudget:            http.StatusTooManyRequests,
	domain.CodeProverKeyConcurrency:         http.StatusTooManyRequests,
	domain.CodeProverQueueFull:              http.StatusServiceUnavailable,
	domain.CodeProverUnavailable:            http.StatusServiceUnavailable,
}

// Status returns the HTTP status of a code.
func Status(code domain.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Envelope is the body of every error response: exactly these four fields.
type Envelope struct {
	Code      domain.Code `json:"code"`
	Message   string      `json:"message"`
	DocSlug   string      `json:"docSlug"`
	RequestID string      `json:"requestId"`
}

// Fail writes the error envelope, and logs 5xx errors with their cause.
func Fail(w http.ResponseWriter, r *http.Request, logger *slog.Logger, err error) {
	e := domain.Public(r.Context(), err)
	access.RecordOf(r.Context()).Code = e.Code
	status := Status(e.Code)
	if status >= http.StatusInternalServerError {
		logger.Log(r.Context(), e.LogLevel(r.Context()), "request failed", "requestId", telemetry.RequestID(r.Context()), "code", e.Code, "error", err)
	}
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // else the server would read the rest of the body
	}
	if after := e.RetrySeconds(); after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(after))
	}
	w.Header().Set("Cache-Control", CacheControl("no-store"))
	Write(w, r, status, JSONMedia, Encode(Envelope{e.Code, e.Message, e.DocSlug(), telemetry.RequestID(r.Context())}))
}
