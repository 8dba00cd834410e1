package prove

import (
	"encoding/json"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/prove"
	"astrolabe/rest/frame"
)

// JobBody is a job without what it delivers. Fields that do not apply are absent.
type JobBody struct {
	JobID                   string       `json:"jobId"`
	Status                  prove.Status `json:"status"`
	Terminal                bool         `json:"terminal"`
	AttemptCount            int          `json:"attemptCount"`
	QueuePosition           int          `json:"queuePosition,omitempty"`
	PollAfterSeconds        int          `json:"pollAfterSeconds"`
	CreatedAt               time.Time    `json:"createdAt"`
	CompletedAt             *time.Time   `json:"completedAt,omitempty"`
	ResultUnavailableReason string       `json:"resultUnavailableReason,omitempty"`
}

// The codes of errors: the prover's own are numbers, those of the relay names.
type (
	proverError struct {
		Code   *int64       `json:"code"`
		Source prove.Source `json:"source"`
	}
	relayError struct {
		Code   domain.Code  `json:"code"`
		Source prove.Source `json:"source"`
	}
)

// render returns the body of a job with what it delivers, if anything. The content
// is copied byte for byte; an encoder would format it anew and keep it in a buffer.
func render(j *prove.Job, payload *prove.Payload) json.RawMessage {
	if payload == nil {
		payload = new(prove.Payload)
	}
	body := JobBody{
		JobID: j.ID, Status: j.Status, Terminal: j.Status.Terminal(), AttemptCount: j.Attempts, QueuePosition: j.Position,
		PollAfterSeconds: int(prove.PollAfter / time.Second), CreatedAt: j.CreatedAt, CompletedAt: j.CompletedAt,
	}
	if j.ResultGone() && payload.Result.Empty() {
		body.ResultUnavailableReason = "delivered_or_expired"
	}
	text := appendMember(frame.Encode(body), "result", payload.Result.Reveal())
	switch f := j.Failure(); {
	case f == nil:
		return text
	case f.Source == prove.FromProver:
		failure := appendMember(frame.Encode(proverError{f.Number, f.Source}), "message", payload.Message.Reveal())
		return appendMember(text, "error", appendMember(failure, "data", payload.Data.Reveal()))
	default:
		return appendMember(text, "error", frame.Encode(relayError{f.Code, f.Source}))
	}
}

// appendMember adds a member to the text of an object, unless its value is empty.
func appendMember(object []byte, name string, value []byte) []byte {
	if len(value) == 0 {
		return object
	}
	object = slices.Grow(object[:len(object)-1], len(name)+len(value)+5)
	object = append(append(append(object, `,"`...), name...), `":`...)
	return append(append(object, value...), '}')
}
