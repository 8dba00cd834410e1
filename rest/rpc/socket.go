package rpc

import (
	"context"
	"net/http"
	"slices"

	"github.com/coder/websocket"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/gateway"
)

// The codes that a socket is closed with. The library closes with 1009 after a
// message that is too large.
const (
	closeGoingAway    = websocket.StatusGoingAway
	closeUnsupported  = websocket.StatusUnsupportedData
	closeInternal     = websocket.StatusInternalError
	closeInterrupted  = websocket.StatusTryAgainLater
	closeSlow         = websocket.StatusCode(4008)
	closeUnauthorized = websocket.StatusCode(4401)
)

// ServeSocket upgrades a request to a WebSocket and serves it. Whoever may not
// have one gets the errors of Serve.
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
	c := &conversation{h: h, gateway: g, request: r.WithContext(ctx), abort: abort, slots: make(chan struct{}, maxInFlight)}
	caller := account.CallerOf(ctx).Subject
	if refused := h.Sockets.enter(c, caller); refused != nil {
		h.fail(w, r, refused)
		return
	}
	defer h.Sockets.leave(c, caller)
	// The origin was checked above.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // Accept has responded
	}
	c.run(ctx, conn)
}
