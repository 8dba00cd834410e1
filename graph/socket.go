package graph

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"astrolabe/domain/account"
)

// The close codes of graphql-transport-ws, and those of WebSocket itself that
// a socket uses.
const (
	closeGoingAway    = websocket.StatusGoingAway
	closeTryLater     = websocket.StatusTryAgainLater
	closeBadMessage   = websocket.StatusCode(4400)
	closeUnauthorized = websocket.StatusCode(4401)
	closeForbidden    = websocket.StatusCode(4403)
	closeSubprotocol  = websocket.StatusCode(4406)
	closeInitTimeout  = websocket.StatusCode(4408)
	closeDuplicate    = websocket.StatusCode(4409)
	closeManyInits    = websocket.StatusCode(4429)
	closeInternal     = websocket.StatusCode(4500)
)

// socket is one client on a WebSocket.
type socket struct {
	h       *Handler
	conn    *websocket.Conn
	stream  *stream
	request *http.Request // that opened the socket; its context is the socket's

	initialised chan struct{}        // closed by the first connection_init
	known       chan context.Context // is sent caller when it is known
	caller      context.Context      // of operations; nil until the caller is known

	mu         sync.Mutex
	operations map[string]*running // by id
	slots      chan struct{}       // one for each operation that runs
	work       sync.WaitGroup
}

// serveSocket holds a conversation until one side ends it.
func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	if err := h.checkHandshake(r); err != nil {
		h.refuse(w, r, accepted{}, err)
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	leaving, goodbye := context.WithCancel(ctx)
	defer goodbye()
	stranger := holder{name: account.ClientName(h.Gate.Client(r))}
	one := &stream{holder: stranger, goodbye: goodbye, abort: cancel}
	if err := h.streams.enter(one); err != nil {
		h.refuse(w, r, accepted{}, err)
		return
	}
	defer h.streams.leave(one)
	// The origin was checked with the handshake.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}, InsecureSkipVerify: true})
	if err != nil {
		return // the answer is written
	}
	defer conn.CloseNow() //nolint:errcheck // the conversation is over
	if conn.Subprotocol() != subprotocol {
		_ = conn.Close(closeSubprotocol, "the subprotocol must be "+subprotocol)
		return
	}
	conn.SetReadLimit(int64(h.Limits.BodyBytes))
	s := &socket{
		h: h, conn: conn, stream: one, request: r.WithContext(ctx),
		initialised: make(chan struct{}), known: make(chan context.Context, 1),
		operations: map[string]*running{}, slots: make(chan struct{}, h.Limits.Operations),
	}
	s.work.Go(func() { s.attend(leaving) })
	s.listen(ctx)
	cancel()
	s.work.Wait()
}

// listen reads messages until the client leaves or breaks the protocol.
func (s *socket) listen(ctx context.Context) {
	for {
		kind, text, err := s.conn.Read(ctx)
		if err != nil {
			return
		}
		if broken := s.receive(kind, text); broken != nil {
			_ = s.conn.Close(broken.code, broken.reason)
			return
		}
	}
}

// attend watches over the socket: a client that does not introduce itself,
// whose introduction has expired or that no longer answers is closed, and all
// are when the server goes.
func (s *socket) attend(leaving context.Context) {
	introduce := time.NewTimer(s.h.InitTimeout)
	defer introduce.Stop()
	alive := time.NewTicker(s.h.KeepAlive)
	defer alive.Stop()
	initialised := s.initialised
	var expired <-chan time.Time
	for {
		select {
		case <-initialised:
			introduce.Stop()
			initialised = nil
		case <-introduce.C:
			_ = s.conn.Close(closeInitTimeout, "Connection initialisation timeout")
			return
		case caller := <-s.known:
			comes, stop := expiry(caller)
			defer stop()
			expired = comes
		case <-expired:
			_ = s.conn.Close(closeUnauthorized, "Unauthorized")
			return
		case <-alive.C:
			ping, cancel := context.WithTimeout(leaving, s.h.WriteTimeout)
			err := s.conn.Ping(ping)
			cancel()
			if err != nil && leaving.Err() == nil {
				_ = s.conn.CloseNow()
				return
			}
		case <-leaving.Done():
			if s.request.Context().Err() == nil {
				_ = s.conn.Close(closeGoingAway, "the server is going away")
			}
			return
		}
	}
}

// send writes a message. A client that leaves it unread for too long is cut
// off.
func (s *socket) send(message []byte) error {
	ctx, cancel := context.WithTimeout(s.request.Context(), s.h.WriteTimeout)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, message)
}
