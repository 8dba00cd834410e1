package rpc

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/gateway"
	"astrolabe/telemetry"
)

// answer answers one message, nil for one that there was no room for. Each is a request of its own: the key is checked
// again, and its use is recorded.
func (c *conversation) answer(ctx context.Context, text []byte) {
	defer c.recover(ctx)
	started := time.Now()
	ctx, cancel := domain.WithTimeLimit(ctx, timeout)
	defer cancel()
	caller, err := c.h.caller(c.request)
	if err != nil {
		c.refuse(ctx, started, nil, gateway.Answer{ID: json.RawMessage("null"), Err: gateway.Refusal(ctx, err)})
		return
	}
	ctx = account.WithCaller(ctx, caller)
	if text == nil { // there was no room for it
		c.refuse(ctx, started, caller, gateway.Answer{ID: json.RawMessage("null"), Err: saturated(tooManyBodies)})
		return
	}
	requests, batch, refused := gateway.Parse(text)
	switch {
	case refused != nil:
		c.refuse(ctx, started, caller, c.gateway.Refused(ctx, refused))
	case batch:
		c.answerBatch(ctx, started, caller, requests)
	default:
		// A session that has ended refuses the answer: nobody is there.
		_ = c.session.Answer(ctx, requests[0], func(a gateway.Answer) []byte {
			c.record(ctx, started, caller, a.Class, a.Err)
			return encode(nil, a, telemetry.RequestID(ctx))
		})
	}
}

func (c *conversation) answerBatch(ctx context.Context, started time.Time, caller *account.Caller, requests []gateway.Request) {
	refused := c.session.AnswerBatch(ctx, requests, func(answers []gateway.Answer) []byte {
		class := answers[0].Class
		for _, a := range answers {
			c.h.log(ctx, a.Err)
			if a.Class != class {
				class = ""
			}
		}
		c.record(ctx, started, caller, class, nil)
		return encodeBatch(ctx, answers)
	})
	if refused != nil {
		c.refuse(ctx, started, caller, gateway.Answer{ID: json.RawMessage("null"), Err: refused})
	}
}

// refuse answers a whole message with an error.
func (c *conversation) refuse(ctx context.Context, started time.Time, caller *account.Caller, a gateway.Answer) {
	c.record(ctx, started, caller, a.Class, a.Err)
	_ = c.session.Send(ctx, encode(nil, a, telemetry.RequestID(ctx)))
}

// record logs what the operator must look at, and accounts for one message of an
// authenticated caller.
func (c *conversation) record(ctx context.Context, started time.Time, caller *account.Caller, class account.Class, e *gateway.Error) {
	c.h.log(ctx, e)
	if c.h.Usage == nil || caller == nil {
		return
	}
	use := account.UseBy(caller)
	use.At, use.Took, use.RequestID = started, time.Since(started), telemetry.RequestID(ctx)
	use.Route, use.Method, use.Status, use.Class = socketPath, http.MethodGet, http.StatusOK, class
	if e != nil {
		use.Code, use.Status = domain.Code(e.Reason), e.Status
	}
	c.h.Usage.Record(use)
}

// encodeMessage returns the text of an answer or a notification.
func encodeMessage(m gateway.Message) []byte {
	if m.Answer != nil {
		return m.Answer
	}
	b := make([]byte, 0, 128+len(m.Result))
	b = append(b, `{"jsonrpc":"2.0","method":"`...)
	b = append(b, m.Method...) // a method of the node specification, which needs no escapes
	b = append(b, `","params":{"subscription_id":"`...)
	b = append(b, m.Subscription...)
	b = append(b, `","result":`...)
	b = append(b, m.Result...)
	return append(b, `}}`...)
}
