package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

func hashesBody(hashes []starknet.Felt) string {
	text, err := json.Marshal(map[string]any{"hashes": hashes})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// expectedPreview is a transaction in short as the chain tells it.
func expectedPreview(b *facts.Block, tx *facts.Transaction, h history) previewItem {
	item := previewItem{
		TxHash: tx.Hash, Found: true, BlockNumber: &b.Header.Number, TimestampIso: new(time.Unix(int64(b.Header.Timestamp), 0).UTC()), TxIndex: &tx.Index,
		TxType: &tx.Type, ExecutionStatus: new(execution(tx.Reverted)), FinalityStatus: new(finality(b.Header.Number)),
		FromAddress: tx.Sender, ToAddress: tx.Contract, TokenTransfers: expectedTransfers(b, tx), LogCount: new(0),
	}
	selector := tx.Selector
	if calls, count := h.expectedCalls(b.Header.Number, tx); count != nil {
		item.CallCount = count
		selector = &calls[0].Selector
	}
	if selector != nil {
		if name, known := h.names[*selector]; known {
			item.PrimaryMethod = &name
		}
	}
	item.TransferCount = new(len(item.TokenTransfers))
	if len(item.TokenTransfers) > 8 {
		item.TokenTransfers, item.TokenTransfersTruncated = item.TokenTransfers[:8], true
	}
	coverage := domain.Coverage{Status: domain.CoverageExact}
	for _, e := range b.Events {
		if e.TxIndex == tx.Index {
			*item.LogCount++
			coverage = coverage.Untyped(slices.ContainsFunc(b.Untyped, func(u facts.UntypedTransfer) bool {
				return u.Role == facts.UntypedContract && u.Address == e.FromAddress
			}))
		}
	}
	item.Coverage = frame.RenderCoverage(coverage)
	return item
}

func TestPreviewsMatchTheChain(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	h := newHistory(blocks)
	var (
		hashes    []starknet.Felt
		want      []previewItem
		truncated int
	)
	ask := func() {
		got := decodeBody[batchBody[previewItem]](t, s.postJSON("/v1/SN_MAIN/tx/previews", hashesBody(hashes)))
		requireEqual(t, "previews", got.Items, want)
		hashes, want = nil, nil
	}
	for i := range blocks {
		for j := range blocks[i].Transactions {
			if !soak && (i+j)%4 != 0 {
				continue
			}
			item := expectedPreview(&blocks[i], &blocks[i].Transactions[j], h)
			hashes, want = append(hashes, item.TxHash), append(want, item)
			if item.TokenTransfersTruncated {
				truncated++
			}
			if len(hashes) == 128 {
				ask()
			}
		}
	}
	ask()
	if truncated == 0 {
		t.Error("got no transaction with more transfers than a preview shows, want some")
	}
}

func TestPreviewsKeepTheOrderOfTheRequest(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	known, other, unknown := blocks[28].Transactions[7].Hash, blocks[60].Transactions[0].Hash, starknet.FeltFromUint64(7)
	asked := []starknet.Felt{unknown, known, other, known, unknown, blocks[28].Header.Hash}
	got := decodeBody[batchBody[previewItem]](t, s.postJSON("/v1/SN_MAIN/tx/previews", hashesBody(asked)))
	if got.ChainID != domain.Mainnet || len(got.Items) != len(asked) {
		t.Fatalf("got %d items of %s, want %d of %s", len(got.Items), got.ChainID, len(asked), domain.Mainnet)
	}
	for i, item := range got.Items {
		found := asked[i] == known || asked[i] == other
		if item.TxHash != asked[i] || item.Found != found {
			t.Errorf("item %d: got %s, found %v, want %s, found %v", i, item.TxHash, item.Found, asked[i], found)
		}
		if !found && !reflect.DeepEqual(item, previewItem{TxHash: asked[i], TokenTransfers: []transferRow{}, Coverage: frame.RenderCoverage(domain.Coverage{Status: domain.CoverageExact})}) {
			t.Errorf("unknown transaction: got %s, want only its hash and exact coverage", encodeText(item))
		}
	}
	if !reflect.DeepEqual(got.Items[1], got.Items[3]) {
		t.Errorf("repeated hash: got %s, want %s as before", encodeText(got.Items[3]), encodeText(got.Items[1]))
	}
}

func TestPreviewsAcceptOneTo128Hashes(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	many := make([]starknet.Felt, 129)
	if a := s.postJSON("/v1/SN_MAIN/tx/previews", hashesBody(many[:128])); a.StatusCode != http.StatusOK {
		t.Errorf("128 hashes: got %d %s, want 200", a.StatusCode, a.body)
	}
	padded := strings.ReplaceAll(hashesBody(many[:128]), `"0x0"`, `"0x`+strings.Repeat("0", 63)+`A"`)
	if got := decodeBody[batchBody[previewItem]](t, s.postJSON("/v1/SN_MAIN/tx/previews", padded)); got.Items[0].TxHash != starknet.FeltFromUint64(10) {
		t.Errorf("padded hash: got %s, want 0xa", got.Items[0].TxHash)
	}
	for _, body := range []string{
		hashesBody(many), `{"hashes":[]}`, `{}`, `{"hashes":null}`, `{"hashes":"0x1"}`, `{"hashes":[1]}`, `{"hashes":["1"]}`, `{"hashes":["0x1",null]}`,
		`{"txHashes":["0x1"]}`, `{"transactions":["0x1"]}`, `{"hashes":["0x1"],"limit":1}`, `{"hashes":["0x1"],"hashes":["0x2"]}`, `["0x1"]`, ``, `{"hashes":["0x1"]} x`,
		`{"hashes":["0x800000000000011000000000000000000000000000000000000000000000001"]}`,
	} {
		requireFailure(t, s.postJSON("/v1/SN_MAIN/tx/previews", body), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
	requireFailure(t, s.postJSON("/v1/SN_MAIN/tx/previews", `{"hashes":["`+strings.Repeat("0", 40_000)+`"]}`), http.StatusRequestEntityTooLarge, domain.CodePayloadTooLarge)
}

// TestPreviewsOverTheirTimeLimitSayWhenToRetry lets somebody hold the table
// that previews are read from.
func TestPreviewsOverTheirTimeLimitSayWhenToRetry(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Followed)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := newServiceOver(t, db, time.Now, nil)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE locators"); err != nil {
		t.Fatal(err)
	}
	a := s.postJSON("/v1/SN_MAIN/tx/previews", `{"hashes":["0x1"]}`)
	requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	if a.Header.Get("Retry-After") != "2" {
		t.Errorf("got Retry-After %q, want 2", a.Header.Get("Retry-After"))
	}
}
