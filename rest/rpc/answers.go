package rpc

import (
	"encoding/json"
	"net/http"

	"astrolabe/domain/account"
	"astrolabe/domain/gateway"
	"astrolabe/rest/frame"
)

const (
	// maxAnswers is how many bytes of answers over HTTP are in memory that their
	// clients have not received.
	maxAnswers = 128 << 20
	// maxCallerAnswers is the share of a workspace.
	maxCallerAnswers = maxAnswers / 2
	// freeAnswer is not counted, so that short answers pass while clients are
	// slow to receive long ones.
	freeAnswer = 64 << 10
)

// deliver writes the answer to a request or batch with that id. It counts until
// the client has received it. If there is no room, the answer is local_saturation,
// unless the request wrote something: then the client must learn the outcome.
func (h Handlers) deliver(w http.ResponseWriter, r *http.Request, id json.RawMessage, wrote bool, body []byte) {
	if n := int64(len(body)); n > freeAnswer {
		holder, answers := holderOf(account.CallerOf(r.Context())), h.Bodies.answers
		if wrote {
			answers.Change(holder, n)
		} else if !answers.Try(holder, n) {
			h.refuse(w, r, gateway.Answer{ID: id, Err: saturated("Too many large responses are waiting to be read. Read yours, then retry.")})
			return
		}
		defer answers.Change(holder, -n)
	}
	frame.Write(w, r, http.StatusOK, frame.JSONMedia, body)
}
