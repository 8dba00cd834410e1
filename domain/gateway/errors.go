package gateway

import (
	"fmt"
	"math"
	"net/http"
	"time"
)

// The codes of JSON-RPC and of the gateway.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603

	UnsupportedChain  = -32004
	Unavailable       = -32005
	RateLimited       = -32010
	WriteScopeMissing = -32011
	Unauthenticated   = -32012
)

// Reason is error.data.code: what happened, for programs.
type Reason string

// The reasons of the contract.
const (
	ReasonParse          Reason = "parse_error"
	ReasonInvalidRequest Reason = "invalid_request"
	ReasonMethod         Reason = "method_not_supported"
	ReasonParams         Reason = "invalid_params"
	ReasonInternal       Reason = "internal_error"

	ReasonChain        Reason = "unsupported_chain"
	ReasonUpstream     Reason = "upstream_unavailable"
	ReasonSaturated    Reason = "local_saturation"
	ReasonAuthorizer   Reason = "authorization_unavailable"
	ReasonRateLimited  Reason = "rate_limited"
	ReasonWriteScope   Reason = "write_scope_required"
	ReasonScope        Reason = "scope_required"
	ReasonKeyRequired  Reason = "authentication_required"
	ReasonKeyMalformed Reason = "authentication_invalid"

	ReasonBatchTooLarge   Reason = "batch_too_large"
	ReasonBatchResponse   Reason = "batch_response_too_large"
	ReasonProofTooLarge   Reason = "storage_proof_response_too_large"
	ReasonCasmTooLarge    Reason = "compiled_casm_response_too_large"
	ReasonTraceTooLarge   Reason = "trace_response_too_large"
	ReasonTraceIncomplete Reason = "trace_response_incomplete"
)

// Error is an error of the gateway itself; errors of the node are *NodeError.
type Error struct {
	Code    int
	Reason  Reason
	Message string
	// Status is the HTTP status of a single request that fails so.
	Status int
	// RetryAfter is how long to wait before the same request can succeed; zero
	// means that waiting alone does not help.
	RetryAfter time.Duration
	// MaxItems is the limit that a batch exceeds; zero for other errors.
	MaxItems int

	cause error // for logs
}

// Error implements error, for logs.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%d %s: %s: %v", e.Code, e.Reason, e.Message, e.cause)
	}
	return fmt.Sprintf("%d %s: %s", e.Code, e.Reason, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// RetrySeconds is RetryAfter in whole seconds, rounded up.
func (e *Error) RetrySeconds() int { return int(math.Ceil(e.RetryAfter.Seconds())) }

// ErrorData is the data member of an error of the gateway.
type ErrorData struct {
	Code              Reason `json:"code"`
	RequestID         string `json:"requestId"`
	Service           string `json:"service"`
	HTTPStatus        int    `json:"httpStatus"`
	RetryAfterSeconds int    `json:"retryAfterSeconds,omitempty"`
	MaxItems          int    `json:"maxItems,omitempty"`
}

// serviceName is data.service of every error.
const serviceName = "rpc-gateway"

// Data returns the data member of the error object.
func (e *Error) Data(requestID string) ErrorData {
	return ErrorData{e.Reason, requestID, serviceName, e.Status, e.RetrySeconds(), e.MaxItems}
}

// invalid makes an error that is answered with status 200, as JSON-RPC has it.
func invalid(code int, reason Reason, format string, args ...any) *Error {
	return &Error{Code: code, Reason: reason, Message: fmt.Sprintf(format, args...), Status: http.StatusOK}
}

// unavailable makes an error that a later attempt may not meet.
func unavailable(reason Reason, after time.Duration, cause error, message string) *Error {
	return &Error{Code: Unavailable, Reason: reason, Message: message, Status: http.StatusServiceUnavailable, RetryAfter: after, cause: cause}
}

// ChainNotServed is the error for a chain that this deployment does not serve.
func ChainNotServed() *Error {
	return &Error{Code: UnsupportedChain, Reason: ReasonChain, Status: http.StatusNotFound,
		Message: "This deployment does not serve the chain. GET /v1/meta/capabilities lists its chains."}
}

// BadBody is the error for a body that is not read: of another type, too large
// or incomplete.
func BadBody(status int, message string) *Error {
	return &Error{Code: InvalidRequest, Reason: ReasonInvalidRequest, Status: status, Message: message}
}
