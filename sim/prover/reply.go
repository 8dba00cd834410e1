package prover

import (
	"maps"
	"slices"
)

// Reply is what the prover does with one request.
type Reply struct {
	act      act
	status   int
	failure  *Failure
	attested bool
	until    <-chan struct{}
}

// Failure is a JSON-RPC error.
type Failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

type act int

const (
	answer act = iota
	hang
	cutUnread
	cutRead
	truncate
	status
)

// Succeed answers with a proof.
func Succeed() Reply { return Reply{} }

// Attest answers with a proof and the attestation of a screened deposit.
func Attest() Reply { return Reply{attested: true} }

// Fail answers with a JSON-RPC error; nil data is left out.
func Fail(code int, message string, data any) Reply {
	return Reply{failure: &Failure{code, message, data}}
}

// Hang reads the request and does not answer until the client disconnects.
func Hang() Reply { return Reply{act: hang} }

// CutUnread closes the connection without reading the body. Such a request is not
// counted as received.
func CutUnread() Reply { return Reply{act: cutUnread} }

// CutRead reads the request and closes the connection without an answer.
func CutRead() Reply { return Reply{act: cutRead} }

// Truncate sends the first half of a proof and closes the connection.
func Truncate() Reply { return Reply{act: truncate} }

// Status answers with an HTTP status and no JSON.
func Status(code int) Reply { return Reply{act: status, status: code} }

// After holds the reply back until the channel is closed or the client
// disconnects.
func (r Reply) After(until <-chan struct{}) Reply {
	r.until = until
	return r
}

// RevertPrefix is how the data of an error begins that reports a reverted
// transaction.
const RevertPrefix = "Reverted transactions are not supported; hash: TransactionHash("

// Replies are the replies that a transaction can ask for by their name.
var Replies = map[string]Reply{
	"attest":                Attest(),
	"24":                    Fail(24, "Block not found", nil),
	"55":                    Fail(55, "Account validation failed", "Account: invalid signature."),
	"61":                    Fail(61, "the transaction version is not supported", nil),
	"1000":                  Fail(1000, "Invalid transaction input", "tip: must be 0x0."),
	"1001":                  Fail(1001, "the transaction type is not supported", "DECLARE"),
	"10000":                 Fail(10000, "Transaction blocked", nil),
	"blocked":               Fail(10000, "Transaction rejected", "address_blocked"),
	"screening_unavailable": Fail(10000, "Transaction rejected", "screening_unavailable"),
	"reverted":              Fail(-32603, "Internal error", RevertPrefix+"0x1), revert reason: SCREENING_REQUIRED"),
	"internal":              Fail(-32603, "Internal error", "the runner stopped"),
	"busy":                  Fail(-32005, "Service is busy", "2 proofs are running and 8 are waiting. Retry later."),
	"hang":                  Hang(),
	"cut":                   CutRead(),
	"truncate":              Truncate(),
}

// Names lists the names of Replies in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(Replies)) }
