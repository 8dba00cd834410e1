package node

import (
	"bytes"
	"net/http"
	"slices"
	"testing"
)

func TestProofFactsAreAskedForUnlessTheNodeRejectsTheFlag(t *testing.T) {
	t.Parallel()
	const asked, plain = `[{"block_number":56377},["INCLUDE_PROOF_FACTS"]]`, `[{"block_number":56377}]`
	text := readReal(t, realFiles(t, "SN_SEPOLIA/blocks/56377.json")[0])
	for name, test := range map[string]struct {
		knows bool
		want  []string
	}{
		"the node knows the flag":         {true, []string{asked}},
		"the node is of an older version": {false, []string{asked, plain}},
	} {
		n := newFakeNode(t)
		n.on("starknet_getBlockWithReceipts", func(w http.ResponseWriter, r *http.Request, c call) {
			if !test.knows && bytes.Contains(c.Params, []byte("INCLUDE")) {
				rpcError(codeInvalidParams)(w, r, c)
				return
			}
			result(string(text))(w, r, c)
		})
		if _, err := openPool(t, nil, n).BlockWithReceipts(t.Context(), AtNumber(56377)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []string
		for _, c := range n.calls("starknet_getBlockWithReceipts") {
			got = append(got, string(c.Params))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: it was asked %s, want %s", name, got, test.want)
		}
	}
}
