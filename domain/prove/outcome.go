package prove

import (
	"encoding/json"
	"strings"
)

// Payload is what a terminal job delivers once: the result, or the message and
// data of the prover's error. Each part is JSON, byte for byte as the prover sent
// it, and empty if it sent none.
type Payload struct {
	Result  Private
	Message Private
	Data    Private
}

// size is how many bytes of memory the payload occupies.
func (p *Payload) size() int64 {
	return int64(len(p.Result.Reveal()) + len(p.Message.Reveal()) + len(p.Data.Reveal()))
}

// Outcome is how an attempt ended.
type Outcome struct {
	Status  Status   // a terminal one
	Code    int64    // the prover's error code, if the status is Failed
	Payload *Payload // nil unless the status is Succeeded or Failed
}

// Proven is the outcome of an attempt with a result.
func Proven(result Private) Outcome {
	return Outcome{Status: Succeeded, Payload: &Payload{Result: result}}
}

// Undone is the outcome of an attempt that had no effect: it was not sent, or the
// prover answered without deciding on the request.
func Undone() Outcome { return Outcome{Status: Unavailable} }

// Lost is the outcome of an attempt that may have reached the prover and has no
// usable answer.
func Lost() Outcome { return Outcome{Status: UnknownDelivery} }

// The errors that need more than their code to be understood.
const (
	codeInternal  = -32603
	codeScreening = 10000

	revertPrefix         = "Reverted transactions are not supported; hash: TransactionHash("
	screeningUnavailable = "screening_unavailable"
)

// Refused is the outcome of an attempt that the prover answered with an error.
// Errors about the request are passed through: codes from 0 on, unless screening
// was unavailable, and an internal error that reports a reverted transaction.
// Every other error is the prover's own trouble, and is hidden.
func Refused(code int64, message, data Private) Outcome {
	var text string
	_ = json.Unmarshal(data.Reveal(), &text) // data of another type has no text
	switch {
	case code == codeScreening && text == screeningUnavailable:
		return Undone()
	case code < 0 && (code != codeInternal || !strings.HasPrefix(text, revertPrefix)):
		return Undone()
	}
	return Outcome{Status: Failed, Code: code, Payload: &Payload{Message: message, Data: data}}
}
