package node

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/coder/websocket"
)

// fakeSocket is one WebSocket connection at a fake node.
type fakeSocket struct {
	node *fakeNode
	conn *websocket.Conn
	ctx  context.Context // ends with the connection
}

// serveSocket runs the next handler of the test on a connection, and
// rejects the connection if there is none.
func (n *fakeNode) serveSocket(w http.ResponseWriter, r *http.Request) {
	var does func(*fakeSocket)
	select {
	case does = <-n.sockets:
	default:
		http.Error(w, "not prepared", http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		n.t.Errorf("accept: got %v, want a socket", err)
		return
	}
	defer conn.CloseNow()
	does(&fakeSocket{node: n, conn: conn, ctx: r.Context()})
}

// receive reads the next request.
func (s *fakeSocket) receive() (c call) {
	_, text, err := s.conn.Read(s.ctx)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return call{}
	}
	c.body = text
	s.node.receives(c)
	return c
}

func (s *fakeSocket) send(format string, args ...any) {
	_ = s.conn.Write(s.ctx, websocket.MessageText, fmt.Appendf(nil, format, args...))
}

// subscribed answers the identity checks and the subscription.
func (s *fakeSocket) subscribed() {
	s.send(`{"jsonrpc":"2.0","id":%s,"result":"0x534e5f5345504f4c4941"}`, s.receive().ID)
	s.send(`{"jsonrpc":"2.0","id":%s,"result":"0.10.2"}`, s.receive().ID)
	s.send(`{"jsonrpc":"2.0","id":%s,"result":"sub"}`, s.receive().ID)
}

func (s *fakeSocket) notify(method, result string) {
	s.send(`{"jsonrpc":"2.0","method":%q,"params":{"subscription_id":"sub","result":%s}}`, method, result)
}

func (s *fakeSocket) newHead(number int) { s.notify("starknet_subscriptionNewHeads", header(number)) }

// stay keeps the connection until the client closes it.
func (s *fakeSocket) stay() {
	for s.receive().Method != "" {
	}
}

// header is a header of the specification.
func header(number int) string {
	return fmt.Sprintf(`{"block_hash":"0x%x","parent_hash":"0x1","block_number":%d,"new_root":"0x2","timestamp":3,
		"sequencer_address":"0x4","l1_gas_price":{"price_in_wei":"0x5","price_in_fri":"0x6"},
		"l2_gas_price":{"price_in_wei":"0x5","price_in_fri":"0x6"},"l1_data_gas_price":{"price_in_wei":"0x5","price_in_fri":"0x6"},
		"l1_da_mode":"BLOB","starknet_version":"0.14.0","event_commitment":"0x7","transaction_commitment":"0x8",
		"receipt_commitment":"0x9","state_diff_commitment":"0xa","event_count":0,"transaction_count":0,"state_diff_length":1}`,
		0xabc+number, number)
}
