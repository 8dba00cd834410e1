package node

import (
	"slices"
	"testing"
)

func TestProofFactsAreRequestedFromNodesWhoseSpecificationHasThem(t *testing.T) {
	t.Parallel()
	text := readReal(t, realFiles(t, "SN_SEPOLIA/blocks/56377.json")[0])
	for version, want := range map[string]string{
		"0.10.0": `[{"block_number":56377}]`,
		"0.10.1": `[{"block_number":56377},["INCLUDE_PROOF_FACTS"]]`,
	} {
		n := newFakeNode(t)
		n.on("starknet_specVersion", result(`"`+version+`"`))
		n.on("starknet_getBlockWithReceipts", result(string(text)))
		if _, err := openPool(t, nil, n).BlockWithReceipts(t.Context(), AtNumber(56377)); err != nil {
			t.Errorf("version %s: got %v, want no error", version, err)
		}
		var got []string
		for _, c := range n.calls("starknet_getBlockWithReceipts") {
			got = append(got, string(c.Params))
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("version %s: got %s, want %s", version, got, want)
		}
	}
}
