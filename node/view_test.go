package node

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

func TestViewIsCalledAtABlockHash(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on("starknet_call", result(`["0x4554", "0x12"]`))
	got, answered, err := openPool(t, nil, n).Source().View(t.Context(), starknet.MustFelt("0xb10c"), starknet.MustFelt("0xc0"), starknet.MustFelt("0x5e"))
	if want := []starknet.Felt{starknet.MustFelt("0x4554"), starknet.MustFelt("0x12")}; err != nil || !answered || !slices.Equal(got, want) {
		t.Errorf("View = %v, %v, %v, want %v, true", got, answered, err, want)
	}
	const want = `[{"calldata":[],"contract_address":"0xc0","entry_point_selector":"0x5e"},{"block_hash":"0xb10c"}]`
	if calls := n.calls("starknet_call"); len(calls) != 1 || string(calls[0].Params) != want {
		t.Errorf("got the params %s, want %s", calls[0].Params, want)
	}
}

func rpcError(code int) reply {
	return envelope(fmt.Sprintf(`{"jsonrpc":"2.0","id":%%s,"error":{"code":%d,"message":"no"}}`, code))
}

func TestContractErrorIsNotANodeFailure(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]reply{
		"no such entry point": rpcError(21),
		"a contract error":    rpcError(40),
		"an endless answer":   result(`["0x1"` + strings.Repeat(`,"0x1"`, chain.MaxResult/5) + `]`),
	} {
		n := newFakeNode(t)
		n.on("starknet_call", does)
		got, answered, err := openPool(t, nil, n).Source().View(t.Context(), starknet.Felt{1}, starknet.Felt{2}, starknet.Felt{3})
		if err != nil || answered || got != nil {
			t.Errorf("%s: View = %v, %v, %v, want nothing, false and no error", name, got, answered, err)
		}
	}
}

func TestNodeFailureIsNotAContractError(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]struct {
		does reply
		is   error
	}{
		"no such contract":    {rpcError(20), chain.ErrNodeUnavailable},
		"no such block":       {rpcError(24), chain.ErrNodeUnavailable},
		"an internal error":   {rpcError(-32603), chain.ErrNodeUnavailable},
		"too many requests":   {status(http.StatusTooManyRequests), chain.ErrNodeUnavailable},
		"out of service":      {status(http.StatusServiceUnavailable), chain.ErrNodeUnavailable},
		"a closed connection": {hangUp(""), chain.ErrNodeUnavailable},
		"no list":             {result(`"0x1"`), chain.ErrInvalidAnswer},
		"no felts":            {result(`["0x1", "one"]`), chain.ErrInvalidAnswer},
		"half an answer":      {envelope(`{"jsonrpc":"2.0","id":%s,"result":["0x1"`), chain.ErrInvalidAnswer},
	} {
		n := newFakeNode(t)
		n.on("starknet_call", failure.does)
		got, answered, err := openPool(t, nil, n).Source().View(t.Context(), starknet.Felt{1}, starknet.Felt{2}, starknet.Felt{3})
		if !errors.Is(err, failure.is) || answered || got != nil {
			t.Errorf("%s: View = %v, %v, %v, want nothing, false and %v", name, got, answered, err, failure.is)
		}
	}
}
