package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/coder/websocket"
	"golang.org/x/time/rate"
)

// Subprotocol is the only one that sockets speak.
const Subprotocol = "graphql-transport-ws"

// The close codes of graphql-transport-ws, and those of WebSocket itself that
// a socket uses.
const (
	CloseGoingAway    = websocket.StatusGoingAway
	CloseTryLater     = websocket.StatusTryAgainLater
	CloseFlooding     = websocket.StatusPolicyViolation
	CloseBadMessage   = websocket.StatusCode(4400)
	CloseUnauthorized = websocket.StatusCode(4401)
	CloseForbidden    = websocket.StatusCode(4403)
	CloseSubprotocol  = websocket.StatusCode(4406)
	CloseInitTimeout  = websocket.StatusCode(4408)
	CloseDuplicate    = websocket.StatusCode(4409)
	CloseManyInits    = websocket.StatusCode(4429)
	CloseInternal     = websocket.StatusCode(4500)
)

// SocketOptions bound what one client may do on a WebSocket.
type SocketOptions struct {
	InitTimeout  time.Duration // until connection_init
	KeepAlive    time.Duration // between pings
	WriteTimeout time.Duration // for which a client may leave a message unread
	MessageBytes int
	Messages     int // of the client per second, pings included; twice as many at once
	Operations   int // that run at once
	// Check returns the payload of a subscribe message as gqlgen reads it.
	Check func(payload json.RawMessage) (json.RawMessage, error)
	// TooMany returns the payload of the error for one operation too many.
	TooMany func(count int) json.RawMessage
}

// Socket is a WebSocket under gqlgen's transport. It holds the client to the
// protocol graphql-transport-ws, with the close codes that the protocol names
// and gqlgen does not use, and bounds its operations, silence and writes.
//
// Operations have ids of the socket's own towards gqlgen: a client may use an
// id again as soon as it has completed the operation before, while gqlgen is
// still ending that one.
type Socket struct {
	SocketOptions
	conn *websocket.Conn
	ctx  context.Context
	pace *rate.Limiter // of the client's messages

	initialised bool          // connection_init has come
	slots       chan struct{} // one for each operation that runs
	work        sync.WaitGroup

	mu           sync.Mutex
	acknowledged bool
	serial       int
	running      map[string]string // the operations that the client follows, by its ids
	names        map[string]string // the client's ids by ours; empty once it has completed the operation
	alarms       [2]*time.Timer    // the end of InitTimeout and the next ping
	closing      bool
}

var _ transport.WebsocketConn = (*Socket)(nil)

// NewSocket begins a conversation, which ends with ctx.
func NewSocket(ctx context.Context, conn *websocket.Conn, o SocketOptions) *Socket {
	s := &Socket{
		SocketOptions: o, conn: conn, ctx: ctx, pace: rate.NewLimiter(rate.Limit(o.Messages), 2*o.Messages),
		slots:   make(chan struct{}, o.Operations),
		running: map[string]string{}, names: map[string]string{},
	}
	conn.SetReadLimit(int64(o.MessageBytes))
	if conn.Subprotocol() != Subprotocol {
		s.Shut(CloseSubprotocol, "The subprotocol must be "+Subprotocol+".")
		return s
	}
	s.alarm(initAlarm, o.InitTimeout, func() { s.Shut(CloseInitTimeout, "Connection initialisation timeout") })
	s.alarm(pingAlarm, o.KeepAlive, s.ping)
	return s
}

// message is what both sides send.
type message struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// maxOperationID keeps an id short enough to be quoted in a close frame.
const maxOperationID = 64

// breach is a message that ends the conversation.
type breach struct {
	code   websocket.StatusCode
	reason string
}

// Error says why the conversation ends.
func (b *breach) Error() string { return b.reason }

// Subprotocol returns the one that sockets speak, also when the client asked
// for another: then the socket is closed already.
func (s *Socket) Subprotocol() string { return Subprotocol }

// NextReader returns the next message that is gqlgen's to act on.
func (s *Socket) NextReader() (int, io.Reader, error) {
	for {
		kind, text, err := s.conn.Read(s.ctx)
		if err != nil {
			return 0, nil, fmt.Errorf("%w: %w", transport.ErrWebsocketClosed, err)
		}
		var m message
		if !s.pace.Allow() {
			err = s.flooding()
		} else if kind != websocket.MessageText || json.Unmarshal(text, &m) != nil {
			err = &breach{CloseBadMessage, "The message is not a JSON object of the protocol."}
		} else {
			m, err = s.receive(m)
		}
		if broken, ok := errors.AsType[*breach](err); ok {
			s.Shut(broken.code, broken.reason)
			return 0, nil, transport.ErrWebsocketClosed
		}
		if m.Type == "" {
			continue
		}
		text, err = json.Marshal(m)
		return int(kind), bytes.NewReader(text), err
	}
}

func (s *Socket) flooding() *breach {
	return &breach{CloseFlooding, fmt.Sprintf("Too many messages: the limit is %d per second.", s.Messages)}
}

// Pinged counts a ping frame of the client and reports whether to answer it.
// Too many close the socket.
func (s *Socket) Pinged() bool {
	if s.pace.Allow() {
		return true
	}
	flood := s.flooding()
	go s.Shut(flood.code, flood.reason) // which waits for the reader that calls this
	return false
}

// receive checks a message of the client and returns what gqlgen acts on, with
// an empty type for nothing. The error is a breach.
func (s *Socket) receive(m message) (message, error) {
	switch m.Type {
	case "connection_init":
		return s.initialise(m)
	case "ping":
		s.send(message{Type: "pong"})
		return message{}, nil
	case "pong":
		return message{}, nil
	case "subscribe":
		return s.subscribe(m)
	case "complete":
		return s.complete(m), nil
	default:
		return message{}, &breach{CloseBadMessage, "The type of the message is unknown."}
	}
}

func (s *Socket) initialise(m message) (message, error) {
	var payload map[string]any
	switch {
	case s.initialised:
		return message{}, &breach{CloseManyInits, "Too many initialisation requests"}
	case m.Payload != nil && json.Unmarshal(m.Payload, &payload) != nil:
		return message{}, &breach{CloseBadMessage, "The payload of connection_init is not an object."}
	}
	s.initialised = true
	s.alarm(initAlarm, 0, nil)
	return message{Type: m.Type, Payload: m.Payload}, nil
}

// subscribe admits an operation, once one that was completed before has left
// it a slot.
func (s *Socket) subscribe(m message) (message, error) {
	if m.ID == "" || len(m.ID) > maxOperationID {
		return message{}, &breach{CloseBadMessage, fmt.Sprintf("An operation needs an id of at most %d bytes.", maxOperationID)}
	}
	s.mu.Lock()
	_, known := s.running[m.ID]
	count, acknowledged := len(s.running)+1, s.acknowledged
	s.mu.Unlock()
	payload, err := s.Check(m.Payload)
	switch {
	case !acknowledged:
		return message{}, &breach{CloseUnauthorized, "Unauthorized"}
	case err != nil:
		return message{}, &breach{CloseBadMessage, "The payload of subscribe is not a GraphQL request."}
	case known:
		return message{}, &breach{CloseDuplicate, "Subscriber for " + m.ID + " already exists"}
	case count > s.Operations:
		s.send(message{Type: "error", ID: m.ID, Payload: s.TooMany(count)})
		return message{}, nil
	}
	select {
	case s.slots <- struct{}{}:
	case <-s.ctx.Done():
		return message{}, nil
	}
	s.work.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	ours := strconv.Itoa(s.serial)
	s.running[m.ID], s.names[ours] = ours, m.ID
	return message{Type: m.Type, ID: ours, Payload: payload}, nil
}

// complete ends an operation that the client no longer follows.
func (s *Socket) complete(m message) message {
	s.mu.Lock()
	defer s.mu.Unlock()
	ours, known := s.running[m.ID]
	if !known {
		return message{}
	}
	delete(s.running, m.ID)
	s.names[ours] = ""
	return message{Type: m.Type, ID: ours}
}

// WriteJSON sends a message of gqlgen's under the client's id, unless the
// client no longer follows the operation or knows that it has ended.
func (s *Socket) WriteJSON(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	if m.Type == "connection_ack" {
		s.mu.Lock()
		s.acknowledged = true
		s.mu.Unlock()
	} else if m.ID != "" {
		if m.ID = s.name(m); m.ID == "" {
			return nil
		}
	}
	s.send(m)
	return nil
}

// name returns the client's id of an operation, and frees its slot with its
// last message.
func (s *Socket) name(m message) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, running := s.names[m.ID]
	if running && (m.Type == "complete" || m.Type == "error") {
		delete(s.names, m.ID)
		if name != "" {
			delete(s.running, name)
		}
		<-s.slots
		s.work.Done()
	}
	return name
}

// send writes a message. A client that leaves it unread for too long is
// disconnected.
func (s *Socket) send(m message) {
	text, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Errorf("a wire type does not encode: %w", err))
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.WriteTimeout)
	defer cancel()
	_ = s.conn.Write(ctx, websocket.MessageText, text) // a failure ends the next read
}

// WriteClose closes the socket for gqlgen.
func (s *Socket) WriteClose(code int, reason string) error {
	s.Shut(websocket.StatusCode(code), reason)
	return nil
}

// Shut closes the socket with a code, once.
func (s *Socket) Shut(code websocket.StatusCode, reason string) {
	s.mu.Lock()
	closing := s.closing
	s.closing = true
	s.mu.Unlock()
	if !closing {
		_ = s.conn.Close(code, reason)
	}
}

// Close does nothing: WriteClose has closed the socket, and End cuts it off.
func (s *Socket) Close() error { return nil }

// Cut disconnects the client without a close handshake.
func (s *Socket) Cut() { _ = s.conn.CloseNow() }

// End disconnects the client and waits for its operations.
func (s *Socket) End() {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.alarm(initAlarm, 0, nil)
	s.alarm(pingAlarm, 0, nil)
	s.Cut()
	s.work.Wait()
}

// The alarms of a socket.
const (
	initAlarm = iota
	pingAlarm
)

// alarm sets a timer in place of the one before; nil sets none. No goroutine
// waits for it: sockets are many, and quiet most of the time.
func (s *Socket) alarm(which int, in time.Duration, act func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alarms[which] != nil {
		s.alarms[which].Stop()
		s.alarms[which] = nil
	}
	if act != nil && !s.closing {
		s.alarms[which] = time.AfterFunc(in, act)
	}
}

// ping asks whether the client is there, now and later again. One that does
// not answer is disconnected.
func (s *Socket) ping() {
	ctx, cancel := context.WithTimeout(s.ctx, s.WriteTimeout)
	defer cancel()
	if s.conn.Ping(ctx) != nil {
		_ = s.conn.CloseNow()
		return
	}
	s.alarm(pingAlarm, s.KeepAlive, s.ping)
}
