package index

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/onchain"
	"astrolabe/starknet"
)

// checkMessages reads the messages of real blocks as readers do and compares
// them with the golden ones: all of them, and each by its hash.
func checkMessages(t *testing.T, db *repo.DB, run []golden) {
	t.Helper()
	messages := chain.NewMessages(onchain.NewMessages(db), chain.NewStatuses(onchain.NewHeads(db), 0))
	c, want := run[0].ChainID, []golden{}
	for _, block := range run {
		if len(block.MessageHashesToL2)+len(block.MessagesToL1) > 0 {
			want = append(want, golden{Number: block.Number, MessageHashesToL2: block.MessageHashesToL2, MessagesToL1: block.MessagesToL1})
		}
	}
	var listed []chain.Message
	for request := (domain.PageRequest{Limit: 7}); ; {
		page, _, err := messages.All(t.Context(), c, chain.MessageFilter{}, request)
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, page.Items...)
		if request.After = page.Next; request.After == nil {
			break
		}
	}
	slices.Reverse(listed)
	got := []golden{}
	for _, m := range listed {
		if n := len(got); n == 0 || got[n-1].Number != m.Block {
			got = append(got, golden{Number: m.Block})
		}
		block := &got[len(got)-1]
		if m.Direction == facts.L1ToL2 {
			block.MessageHashesToL2 = append(block.MessageHashesToL2, m.Hash.String())
		} else {
			block.MessagesToL1 = append(block.MessagesToL1, toL1{m.TxIndex, m.Index, m.TxHash, m.From, m.To, m.Payload})
		}
		checkLocated(t, messages, c, m)
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// checkLocated finds a message by its hash, its transaction and its contract.
func checkLocated(t *testing.T, messages *chain.Messages, c domain.Chain, m chain.Message) {
	t.Helper()
	pages, _, err := messages.OfContracts(t.Context(), c, []starknet.Felt{m.Contract()},
		chain.MessageFilter{Hash: &m.Hash, Tx: &m.TxHash, Direction: m.Direction}, domain.PageRequest{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(pages[0].Items, func(found chain.Message) bool { return found.ID() == m.ID() }) {
		t.Errorf("got %d messages with the hash %s, want %s among them", len(pages[0].Items), m.Hash, m.ID())
	}
}
