package rest

import (
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/rest/chains"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// history is which class each contract had when each block began, by hand.
type history struct {
	classes map[starknet.Felt]*facts.Class
	names   map[starknet.Felt]string          // of all functions
	began   []map[starknet.Felt]starknet.Felt // by block
}

func newHistory(blocks []facts.Block) history {
	h := history{classes: map[starknet.Felt]*facts.Class{}, names: map[starknet.Felt]string{}}
	now := map[starknet.Felt]starknet.Felt{}
	for _, b := range blocks {
		h.began = append(h.began, maps.Clone(now))
		for _, class := range b.Classes {
			h.classes[class.Hash] = class
			for _, f := range class.Functions {
				h.names[f.Selector] = f.Name
			}
		}
		for _, change := range b.Changes {
			now[change.Address] = change.Class
		}
	}
	h.began = append(h.began, now)
	return h
}

// decoded types a call by one class.
func (h history) decoded(class starknet.Felt, call facts.Call) []decodedField {
	if h.classes[class] == nil || h.classes[class].Schema() == nil {
		return nil
	}
	function := h.classes[class].Schema().Function(call.Selector)
	if function == nil {
		return nil
	}
	inputs, err := function.DecodeInputs(call.Calldata)
	if err != nil {
		return nil
	}
	fields := []decodedField{}
	for i := range inputs {
		fields = append(fields, chains.RenderField(&inputs[i]))
	}
	return fields
}

// expectedCalls decodes the calls of a transaction with the class that the
// called contract had when its block ended, unless the one before differs.
func (h history) expectedCalls(block uint64, tx *facts.Transaction) (list []accountCall, count *int) {
	calls, ok := facts.Calls(tx)
	if !ok {
		return []accountCall{}, nil
	}
	for _, call := range calls {
		item := accountCall{To: call.To, Selector: call.Selector, CalldataLen: len(call.Calldata), Calldata: append([]starknet.Felt{}, call.Calldata...)}
		if name, known := h.names[call.Selector]; known {
			item.SelectorName = &name
		}
		item.DecodedCalldata = h.decoded(h.began[block+1][call.To], call)
		if before, existed := h.began[block][call.To]; existed && !reflect.DeepEqual(h.decoded(before, call), item.DecodedCalldata) {
			item.DecodedCalldata = nil
		}
		list = append(list, item)
	}
	return list, new(len(calls))
}

func expectedReceipt(block uint64, tx *facts.Transaction) receiptBody {
	body := receiptBody{
		ExecutionStatus: execution(tx.Reverted), FinalityStatus: finality(block),
		ActualFeeRaw: new(new(big.Int).SetBytes(tx.Fee[:]).String()), FeeUnit: &tx.FeeUnit,
		L1Gas: &tx.Resources.L1Gas, L1DataGas: &tx.Resources.L1DataGas, L2Gas: &tx.Resources.L2Gas,
	}
	if tx.Reverted {
		body.RevertReason = &tx.RevertReason
	}
	return body
}

// expectedTransaction is a transaction without its lists.
func expectedTransaction(h *facts.Header, tx *facts.Transaction) transactionBody {
	return transactionBody{
		ChainID: domain.Mainnet, BlockNumber: h.Number, BlockHash: h.Hash, TimestampIso: time.Unix(int64(h.Timestamp), 0).UTC(),
		TxIndex: tx.Index, TxHash: tx.Hash, TxCursor: fmt.Sprintf("%d:%d", h.Number, tx.Index), TxType: tx.Type, Version: tx.Version, Nonce: tx.Nonce,
		FromAddress: tx.Sender, ToAddress: tx.Contract, ExecutionStatus: execution(tx.Reverted), FinalityStatus: finality(h.Number),
		Receipt: expectedReceipt(h.Number, tx), Calldata: append([]starknet.Felt{}, tx.Calldata...), SignatureLen: len(tx.Signature),
		Envelope: expectedEnvelope(tx),
	}
}

// requireLogs holds logs against the chain's events. What they mean is held
// elsewhere.
func requireLogs(t *testing.T, b *facts.Block, tx *facts.Transaction, logs []eventRow) (total int) {
	t.Helper()
	for _, e := range b.Events {
		if e.TxIndex != tx.Index {
			continue
		}
		if total < len(logs) {
			row := logs[total]
			if row.BlockNumber != b.Header.Number || row.TxHash != tx.Hash || row.TxIndex != tx.Index || row.LogIndex != total || row.Address != e.FromAddress ||
				!reflect.DeepEqual(row.Keys, append([]starknet.Felt{}, e.Keys...)) || !reflect.DeepEqual(row.Data, append([]starknet.Felt{}, e.Data...)) {
				t.Errorf("log %d of %s: got %s, want %+v", total, tx.Hash, encodeText(row), e)
			}
		}
		total++
	}
	return total
}

// expectedTransfers are the transfers of a transaction while no token has said
// anything of itself.
func expectedTransfers(b *facts.Block, tx *facts.Transaction) []transferRow {
	number := func(n *starknet.Uint256) *string {
		if n == nil {
			return nil
		}
		return new(new(big.Int).SetBytes(n[:]).String())
	}
	list := []transferRow{}
	for _, m := range b.Transfers {
		if m.TxIndex == tx.Index {
			list = append(list, transferRow{
				BlockNumber: b.Header.Number, TimestampIso: time.Unix(int64(b.Header.Timestamp), 0).UTC(), TxIndex: m.TxIndex, LogIndex: m.LogIndex, TransferIndex: m.Index,
				TxHash: tx.Hash, TokenAddress: m.Token, FromAddress: &m.From, ToAddress: &m.To, Amount: number(m.Amount), TokenID: number(m.TokenID),
				Standard: m.Standard, SourceTier: tier(b.Header.Number),
			})
		}
	}
	return list
}

// requireTransaction holds an answer against the chain.
func requireTransaction(t *testing.T, s *service, b *facts.Block, tx *facts.Transaction, h history, messages []messageItem) {
	t.Helper()
	got := decodeBody[transactionBody](t, s.get("/v1/SN_MAIN/tx/"+tx.Hash.String()))
	want := expectedTransaction(&b.Header, tx)
	total := requireLogs(t, b, tx, got.Logs)
	if len(got.Logs) != min(total, 96) {
		t.Errorf("%s: got %d logs, want %d of %d", tx.Hash, len(got.Logs), min(total, 96), total)
	}
	want.LogsTruncated = total > 96
	want.AccountCalls, want.AccountCallCount = h.expectedCalls(b.Header.Number, tx)
	want.TokenTransfers, want.Logs = expectedTransfers(b, tx), got.Logs
	want.Messages = []messageItem{}
	for i := range messages {
		if m := messages[len(messages)-1-i]; m.TxHash == tx.Hash {
			want.Messages = append(want.Messages, m)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: want -, got +\n%.2000s", tx.Hash, cmp.Diff(want, got))
	}
}

func TestTransactionMatchesTheChain(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	h, messages := newHistory(blocks), everyMessage(t)
	asked, every := map[string]bool{}, 40
	if soak {
		every = 1
	}
	for i := range blocks {
		for j := range blocks[i].Transactions {
			tx := &blocks[i].Transactions[j]
			rare := fmt.Sprint(tx.Type, tx.Version, tx.Reverted, len(tx.Calldata))
			if !asked[rare] || (i+j)%every == 0 {
				asked[rare] = true
				requireTransaction(t, s, &blocks[i], tx, h, messages)
			}
		}
	}
}

// TestCachedTransactionEqualsTheStoredOne asks twice for everything, the second time
// for what the first left behind.
func TestCachedTransactionEqualsTheStoredOne(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	s.services.Cache.Listening(true)
	h, messages := newHistory(blocks), everyMessage(t)
	every := 61
	if soak {
		every = 13
	}
	for i := range blocks {
		for j := i % every; j < len(blocks[i].Transactions); j += every {
			requireTransaction(t, s, &blocks[i], &blocks[i].Transactions[j], h, messages)
			requireTransaction(t, s, &blocks[i], &blocks[i].Transactions[j], h, messages)
		}
	}
}

func TestCallsAreDecodedWithTheClassInForce(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	h := newHistory(blocks)
	var replaced []starknet.Felt // transactions that call a contract whose class was replaced in their block
	for i := range blocks {
		for j := range blocks[i].Transactions {
			calls, _ := h.expectedCalls(uint64(i), &blocks[i].Transactions[j])
			for _, call := range calls {
				if before, existed := h.began[i][call.To]; existed && before != h.began[i+1][call.To] {
					replaced = append(replaced, blocks[i].Transactions[j].Hash)
					got := decodeBody[transactionBody](t, s.get("/v1/SN_MAIN/tx/"+blocks[i].Transactions[j].Hash.String()))
					requireEqual(t, "calls", got.AccountCalls, calls)
				}
			}
		}
	}
	if len(replaced) == 0 {
		t.Error("got no call in the block that replaces its class, want some")
	}
	got := decodeBody[transactionBody](t, s.get("/v1/SN_MAIN/tx/0x37ea899ae28543489542ffed5d02685b279131135279673bf7efa8f018b71f4"))
	if len(got.AccountCalls) != 2 || *got.AccountCallCount != 2 || *got.AccountCalls[0].SelectorName != "mint" || got.AccountCalls[0].DecodedCalldata[1].Label != "token_id" || *got.AccountCalls[0].DecodedCalldata[1].NumericValue != "17" {
		t.Errorf("got %s, want 2 calls, the first a mint of token 17", frame.Encode(got.AccountCalls))
	}
}

func TestLogLimitTruncatesTheLogsAndReportsIt(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	for _, place := range []struct{ block, tx, logs int }{{42, 0, 7}, {16, 4, 1001}} {
		b := &blocks[place.block]
		tx := &b.Transactions[place.tx]
		for _, limit := range []int{1, 6, 7, 1000} {
			got := decodeBody[transactionBody](t, s.get(fmt.Sprintf("/v1/SN_MAIN/tx/%s?log_limit=%d", tx.Hash, limit)))
			total := requireLogs(t, b, tx, got.Logs)
			if total != place.logs || len(got.Logs) != min(limit, total) || got.LogsTruncated != (total > limit) {
				t.Errorf("limit %d: got %d of %d logs, truncated %v, want %d of %d", limit, len(got.Logs), total, got.LogsTruncated, min(limit, place.logs), place.logs)
			}
		}
	}
	for _, limit := range []string{"0", "1001", "x"} {
		requireFailure(t, s.get("/v1/SN_MAIN/tx/0x1?log_limit="+limit), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestAnUnknownTransactionIsNotFound(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	hash := blocks[28].Transactions[7].Hash
	sameTag := hash
	sameTag[31] ^= 1 // the eight bytes that locators keep are those of the other
	for _, unknown := range []starknet.Felt{{}, starknet.FeltFromUint64(1), sameTag, blocks[28].Header.Hash} {
		e := requireFailure(t, s.get("/v1/SN_MAIN/tx/"+unknown.String()), http.StatusNotFound, domain.CodeNotFound)
		if strings.Contains(e.Message, "pending_indexing") {
			t.Errorf("%s: got %q, want no pending_indexing", unknown, e.Message)
		}
	}
	for _, malformed := range []string{"1", "0x", "0xzz", strings.Repeat("0x1", 30), "0x800000000000011000000000000000000000000000000000000000000000001"} {
		requireFailure(t, s.get("/v1/SN_MAIN/tx/"+malformed), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

// TestATransactionTakesTwoRoundTrips beside the one that reads the chain's heads
// and, as there is no cache here, the one that reads which classes are verified:
// one for the transaction, one for its parts.
func TestATransactionTakesTwoRoundTrips(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	hash := repotest.Everyday(t)[28].Transactions[15].Hash
	read := func() (statements, trips int64) {
		ctx, count := telemetry.CountStatements(chain.AtOneMoment(t.Context()))
		if found, err := s.services.Details.ByHash(ctx, domain.Mainnet, hash, 96); err != nil || len(found.Logs.Items) == 0 || len(found.Calls) == 0 {
			t.Fatalf("got %+v and %v, want logs and calls", found, err)
		}
		return int64(count.N()), int64(count.Trips())
	}
	read() // classes are read once
	if statements, trips := read(); statements != 2+2 || trips != 2+2 {
		t.Errorf("got %d statements in %d round trips, want 4 in 4", statements, trips)
	}
}

func TestADamagedRowIsAnInternalErrorWhoseCauseIsInTheLog(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	if _, err := r.conn.Exec(t.Context(), `UPDATE transactions SET calldata = '\x01' WHERE chain = 1`); err != nil {
		t.Fatal(err)
	}
	a := r.get("/v1/SN_MAIN/tx/" + repotest.Everyday(t)[28].Transactions[15].Hash.String())
	requireFailure(t, a, http.StatusInternalServerError, domain.CodeInternal)
	if strings.Contains(a.body, "malformed") || !strings.Contains(r.log.String(), "malformed") {
		t.Errorf("got the response %s and the log %s, want the cause in the log alone", a.body, r.log)
	}
}
