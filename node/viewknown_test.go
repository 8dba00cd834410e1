package node

import (
	"errors"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

func TestTransactionWithAnyStatusIsKnown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does  reply
		known bool
		is    error
	}{
		"received":       {result(`{"finality_status":"RECEIVED"}`), true, nil},
		"accepted on L2": {result(`{"finality_status":"ACCEPTED_ON_L2","execution_status":"REVERTED","failure_reason":"no"}`), true, nil},
		"never heard of": {rpcError(29), false, nil},
		"no status":      {result(`{}`), false, chain.ErrInvalidAnswer},
		"a failure":      {rpcError(-32603), false, chain.ErrNodeUnavailable},
	} {
		n := newFakeNode(t)
		n.on("starknet_getTransactionStatus", c.does)
		known, err := openPool(t, nil, n).Source().KnowsTransaction(t.Context(), starknet.MustFelt("0x7a"))
		if known != c.known || !errors.Is(err, c.is) {
			t.Errorf("%s: got known %v and %v, want %v and %v", name, known, err, c.known, c.is)
		}
		if calls := n.calls("starknet_getTransactionStatus"); len(calls) == 0 || string(calls[0].Params) != `["0x7a"]` {
			t.Errorf("%s: got the calls %v, want [\"0x7a\"]", name, calls)
		}
	}
}
