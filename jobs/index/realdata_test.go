package index

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	store "astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/sim/realdata"
	"astrolabe/starknet"
)

// realData is the folder of real blocks.
var realData = filepath.Join("..", "..", "..", "shared", "data", "real")

// golden are facts that were counted from the raw data of a block.
type golden struct {
	ChainID             domain.Chain   `json:"chain_id"`
	Number              uint64         `json:"number"`
	Hash                starknet.Felt  `json:"hash"`
	TxCount             int            `json:"tx_count"`
	TxTypes             map[string]int `json:"tx_types"`
	Reverted            int            `json:"reverted_tx_count"`
	Events              int            `json:"event_count"`
	Selectors           int            `json:"distinct_event_selectors"`
	Emitters            int            `json:"distinct_emitting_addresses"`
	TopEmitters         []emitter      `json:"top5_emitting_addresses"`
	Transfers           map[string]int `json:"transfer_events"`
	TransferTotal       int            `json:"transfer_events_total"`
	TransferEmitters    int            `json:"distinct_transfer_emitting_addresses"`
	TopTransferEmitters []emitter      `json:"top5_transfer_emitting_addresses"`
	MessageHashesToL2   []string       `json:"l1_to_l2_message_hashes"`
	MessagesToL1        []toL1         `json:"l2_to_l1_messages"`
}

type emitter struct {
	Address starknet.Felt `json:"address"`
	Count   int           `json:"count"`
}

type toL1 struct {
	TxIndex int             `json:"tx_index"`
	Index   int             `json:"msg_index"`
	TxHash  starknet.Felt   `json:"transaction_hash"`
	From    starknet.Felt   `json:"from_address"`
	To      starknet.Felt   `json:"to_address"`
	Payload []starknet.Felt `json:"payload"`
}

// TestRealBlocksYieldTheGoldenFacts indexes every run of real blocks from a
// node that replays them, and compares the stored facts.
func TestRealBlocksYieldTheGoldenFacts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(realData, "golden.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the real chain data is not at " + realData)
	}
	var file struct {
		Transfer starknet.Felt     `json:"transfer_selector"`
		Blocks   map[string]golden `json:"blocks"`
	}
	if err := errors.Join(err, json.Unmarshal(text, &file)); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, run := range runs(file.Blocks) {
		seen += len(run)
		t.Run(fmt.Sprintf("%s/%d-%d", run[0].ChainID, run[0].Number, run[len(run)-1].Number), func(t *testing.T) {
			t.Parallel()
			stored := indexReal(t, run)
			checkTransfers(t, run, stored, file.Transfer)
			checkImplementations(t, run[0].ChainID, stored)
			for i, block := range stored {
				if diff := gocmp.Diff(run[i], count(run[i].ChainID, &block, file.Transfer), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("block %d (-want +got):\n%s", run[i].Number, diff)
				}
			}
		})
	}
	if seen != len(file.Blocks) || seen == 0 {
		t.Errorf("got %d indexed blocks, want %d", seen, len(file.Blocks))
	}
}

// runs splits the blocks into runs of consecutive ones.
func runs(blocks map[string]golden) (all [][]golden) {
	list := make([]golden, 0, len(blocks))
	for _, b := range blocks {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b golden) int {
		return cmp.Or(strings.Compare(string(a.ChainID), string(b.ChainID)), cmp.Compare(a.Number, b.Number))
	})
	for _, b := range list {
		if n := len(all); n > 0 && all[n-1][0].ChainID == b.ChainID && all[n-1][len(all[n-1])-1].Number+1 == b.Number {
			all[n-1] = append(all[n-1], b)
		} else {
			all = append(all, []golden{b})
		}
	}
	return all
}

// indexReal indexes a run and returns the stored blocks.
func indexReal(t *testing.T, run []golden) []facts.Block {
	t.Helper()
	first, last := run[0], run[len(run)-1]
	server, err := realdata.Serve(realData, string(first.ChainID), first.Number, last.Number)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := node.Open(node.Options{Chain: first.ChainID, URLs: []string{server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close(); server.Close() })
	w := &world{T: t, node: pool, database: pgtest.Database(t, repotest.Migrated), level: facts.FullyVerified}
	w.connect()
	loop := w.loop("a")
	loop.Chain, loop.First, loop.AcceptMissingClasses = first.ChainID, first.Number, true
	update := filepath.Join(realData, string(first.ChainID), "state_updates", fmt.Sprintf("%d.json", first.Number))
	if _, err := os.Stat(update); err != nil { // the node shows an empty one
		loop.Verify = facts.Unverified
	}
	leader := w.leader(loop)
	if err := leader.turn(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkMessages(t, w.db, run)
	var stored []facts.Block
	for block, err := range store.NewArchive(w.db).Stored(t.Context(), loop.Chain, first.Number, last.Number) {
		if err != nil {
			t.Fatal(err)
		}
		if got := block.Header.Verification; got != loop.Verify {
			t.Errorf("block %d: got level %s, want %s", block.Header.Number, got, loop.Verify)
		}
		for _, class := range block.Classes {
			if unknown := !proven(t, first.ChainID, class.Hash); class.Missing != unknown && loop.Verify == facts.FullyVerified {
				t.Errorf("block %d: class %s: got missing %t, want %t", block.Header.Number, class.Hash, class.Missing, unknown)
			}
		}
		stored = append(stored, block)
	}
	return stored
}

// proven reports whether the data has a class with its hash. Nodes lost details of
// some Cairo 0 classes.
func proven(t *testing.T, c domain.Chain, class starknet.Felt) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realData, string(c), "classes", class.String()+".json"))
	if err != nil {
		return false
	}
	var document starknet.Class
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	hash, err := document.Hash()
	return err == nil && hash == class
}

// count counts the golden facts of a stored block.
func count(c domain.Chain, b *facts.Block, transfer starknet.Felt) golden {
	g := golden{
		ChainID: c, Number: b.Header.Number, Hash: b.Header.Hash, TxCount: len(b.Transactions), TxTypes: map[string]int{},
		Events: len(b.Events), Transfers: map[string]int{"k1_d4": 0, "k3_d2": 0, "k5_d0": 0, "other": 0},
	}
	for _, tx := range b.Transactions {
		g.TxTypes[fmt.Sprintf("%s_v%d", tx.Type, tx.Version)]++
		if tx.Reverted {
			g.Reverted++
		}
	}
	selectors, emitters, movers := map[starknet.Felt]bool{}, map[starknet.Felt]int{}, map[starknet.Felt]int{}
	for _, e := range b.Events {
		emitters[e.FromAddress]++
		if len(e.Keys) == 0 {
			continue
		}
		selectors[e.Keys[0]] = true
		if e.Keys[0] == transfer {
			movers[e.FromAddress]++
			shape := fmt.Sprintf("k%d_d%d", len(e.Keys), len(e.Data))
			if _, known := g.Transfers[shape]; !known {
				shape = "other"
			}
			g.Transfers[shape]++
			g.TransferTotal++
		}
	}
	g.Selectors, g.Emitters, g.TransferEmitters = len(selectors), len(emitters), len(movers)
	g.TopEmitters, g.TopTransferEmitters = top(emitters), top(movers)
	for _, m := range b.Messages {
		if m.Direction == facts.L1ToL2 {
			g.MessageHashesToL2 = append(g.MessageHashesToL2, m.Hash.String())
		} else {
			g.MessagesToL1 = append(g.MessagesToL1, toL1{m.TxIndex, m.Index, b.Transactions[m.TxIndex].Hash, m.From, m.To, m.Payload})
		}
	}
	return g
}

// top returns the five busiest emitters.
func top(counts map[starknet.Felt]int) []emitter {
	var list []emitter
	for address, n := range counts {
		list = append(list, emitter{address, n})
	}
	slices.SortFunc(list, func(a, b emitter) int { return cmp.Or(-cmp.Compare(a.Count, b.Count), a.Address.Cmp(b.Address)) })
	return list[:min(5, len(list))]
}
