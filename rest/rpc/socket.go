package rpc

import (
	"context"
	"net/http"
	"slices"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"astrolabe/access"
	"astrolabe/access/streams"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/gateway"
)

// The codes that a socket is closed with. The library closes with 1009 after a
// message that is too large.
const (
	closeGoingAway    = websocket.StatusGoingAway
	closeFlooding     = websocket.StatusPolicyViolation
	closeUnsupported  = websocket.StatusUnsupportedData
	closeInternal     = websocket.StatusInternalError
	closeInterrupted  = websocket.StatusTryAgainLater
	closeSlow         = websocket.StatusCode(4008)
	closeUnauthorized = websocket.StatusCode(4401)
)

// ServeSocket upgrades a request to a WebSocket and serves it. Callers
// that may not open one get the errors of Serve.
func (h Handlers) ServeSocket(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" && !slices.Contains(h.Origins, origin) {
		foreign := domain.Errorf(domain.CodeForbidden, "Pages of this origin may not open a WebSocket. Ask the operator to allow the origin.")
		access.Challenge(w.Header(), foreign, "")
		h.fail(w, r, gateway.BadBody(http.StatusForbidden, foreign.Message))
		return
	}
	r, g := h.admit(w, r, account.RPCWebSocket)
	if g == nil {
		return
	}
	if err := access.CheckHandshake(r); err != nil {
		h.fail(w, r, gateway.BadBody(http.StatusBadRequest, domain.Public(r.Context(), err).Message))
		return
	}
	ctx, abort := context.WithCancel(context.WithoutCancel(r.Context()))
	defer abort()
	c := &conversation{h: h, gateway: g, request: r.WithContext(ctx), abort: abort, slots: make(chan struct{}, maxInFlight),
		pace: rate.NewLimiter(streams.Messages, 2*streams.Messages)}
	caller := account.CallerOf(ctx)
	stream := &streams.Stream{
		Holder: streams.HeldBy(caller), Caller: caller, Abort: abort, Recheck: func() { c.recheck() },
		Goodbye: func() { go c.shut(closeGoingAway, "The server is going away.") },
	}
	if refused := h.Sockets.enter(ctx, stream); refused != nil {
		h.fail(w, r, refused)
		return
	}
	defer h.Sockets.leave(stream)
	// The origin was checked above.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true,
		OnPingReceived:     func(context.Context, []byte) bool { return c.pinged() },
	})
	if err != nil {
		return // Accept has responded
	}
	c.run(ctx, conn)
}
