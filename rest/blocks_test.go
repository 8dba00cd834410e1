package rest

import (
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// finality is what the network says of a block of the followed chain.
func finality(number uint64) chain.FinalityStatus {
	if number <= repotest.FollowedL1 {
		return "ACCEPTED_ON_L1"
	}
	return "ACCEPTED_ON_L2"
}

// tier is the tier of a block of the followed chain.
func tier(number uint64) chain.Tier {
	if number <= repotest.FollowedFinalized {
		return "finalized"
	}
	return "head"
}

func execution(reverted bool) starknet.ExecutionStatus {
	if reverted {
		return "REVERTED"
	}
	return "SUCCEEDED"
}

// expectedBlock is a block as the contract shows it in a list.
func expectedBlock(h facts.Header) blockItem {
	return blockItem{
		BlockNumber: h.Number, BlockHash: h.Hash, ParentHash: h.ParentHash, TimestampIso: time.Unix(int64(h.Timestamp), 0).UTC(),
		TxCount: h.Transactions, EventCount: h.Events, FinalityStatus: finality(h.Number), SourceTier: tier(h.Number),
		Verification: h.Verification,
	}
}

// expectedTxs are the transactions of a block as the contract shows them.
func expectedTxs(b facts.Block) []txItem {
	list := []txItem{}
	for i, tx := range b.Transactions {
		list = append(list, txItem{
			TxHash: tx.Hash, TxIndex: i, TxCursor: fmt.Sprintf("%d:%d", b.Header.Number, i), TxType: tx.Type,
			FromAddress: tx.Sender, ToAddress: tx.Contract, ExecutionStatus: execution(tx.Reverted), FinalityStatus: finality(b.Header.Number),
		})
	}
	return list
}

func expectedPrice(p starknet.ResourcePrice) *gasPrice {
	text := func(f starknet.Felt) *string {
		if f.IsZero() {
			return nil
		}
		return new(new(big.Int).SetBytes(f[:]).String())
	}
	if p.PriceInWei.IsZero() && p.PriceInFri.IsZero() {
		return nil
	}
	return &gasPrice{PriceInWei: text(p.PriceInWei), PriceInFri: text(p.PriceInFri)}
}

func TestBlocksAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	var want []blockItem
	for _, b := range slices.Backward(blocks) {
		want = append(want, expectedBlock(b.Header))
	}
	body := decodeBody[listBody[blockItem]](t, s.get("/v1/SN_MAIN/blocks"))
	requireEqual(t, "the first page", body.Items, want[:25])
	if body.ChainID != domain.Mainnet || body.NextCursor == nil {
		t.Errorf("got chain %s and cursor %v, want %s and a cursor", body.ChainID, body.NextCursor, domain.Mainnet)
	}
	for _, limit := range []int{1, 7, 61, 200} {
		requireEqual(t, fmt.Sprintf("limit %d", limit), walk[blockItem](s, "/v1/SN_MAIN/blocks", nil, limit), want)
	}
}

func TestCachedBlocksEqualStoredBlocks(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	s.services.Cache.Listening(true)
	var want []blockItem
	for _, b := range slices.Backward(blocks) {
		want = append(want, expectedBlock(b.Header))
	}
	for _, limit := range []int{7, 15, 16, 17, 61, 200} { // 16 blocks are not finalized
		for range 2 {
			requireEqual(t, fmt.Sprintf("limit %d", limit), walk[blockItem](s, "/v1/SN_MAIN/blocks", nil, limit), want)
		}
	}
}

// TestCachedBlocksFollowTheChain undoes and replaces blocks that were
// listed.
func TestCachedBlocksFollowTheChain(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	world := grow(t, db, newServiceOver(t, db, time.Now, withNodes(db, nil)), 50)
	cache, statuses := chain.NewCache(chain.DefaultCacheWeight), chain.NewStatuses(onchain.NewHeads(db), time.Hour)
	cache.Listening(true)
	list := chain.NewBlocks(onchain.NewBlocks(db), onchain.NewForks(db), statuses, cache)
	holds := func(head uint64) {
		t.Helper()
		statuses.Renew()
		for _, limit := range []int{30, 5, 60} {
			page, _, err := list.List(t.Context(), domain.Mainnet, chain.BlockFilter{}, domain.PageRequest{Limit: limit})
			want, more := min(limit, int(head)+1), limit <= int(head)
			if err != nil || len(page.Items) != want || (page.Next != nil) != more {
				t.Fatalf("head %d: got %d blocks, next %v and %v, want %d and a next position: %v", head, len(page.Items), page.Next, err, want, more)
			}
			for i, block := range page.Items {
				if block.Number != head-uint64(i) || i > 0 && block.Hash != page.Items[i-1].ParentHash {
					t.Fatalf("head %d: got block %d at place %d, want the parent of the one before", head, block.Number, i)
				}
			}
		}
	}
	for range 2 {
		holds(49)
	}
	world.index.Undo(&world.blocks[44].Header)
	holds(44)
	world.next = 45
	world.grow(53)
	holds(52)
	world.index.Undo(&world.blocks[48].Header)
	holds(48)
	if err := world.index.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestPagesFromTheCacheEqualStoredPages begins pages at every block.
func TestPagesFromTheCacheEqualStoredPages(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	cache := chain.NewCache(chain.DefaultCacheWeight)
	list := chain.NewBlocks(onchain.NewBlocks(db), onchain.NewForks(db), chain.NewStatuses(onchain.NewHeads(db), time.Hour), cache)
	page := func(from, to uint64, limit int) domain.Page[*chain.Block] {
		t.Helper()
		found, _, err := list.List(t.Context(), domain.Mainnet, chain.BlockFilter{From: &from, To: &to}, domain.PageRequest{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for to := range uint64(63) {
		for _, from := range []uint64{0, to / 2, to} {
			cache.Listening(false)
			want := page(from, to, 7)
			cache.Listening(true)
			page(0, 100, 100) // all are remembered
			if got := page(from, to, 7); !reflect.DeepEqual(got, want) {
				t.Errorf("from %d to %d: %+v, want %+v", from, to, got, want)
			}
		}
	}
}

// TestPagesOfBlocksHaveNoDuplicatesOrGaps replaces the head and adds blocks
// between two pages.
func TestPagesOfBlocksHaveNoDuplicatesOrGaps(t *testing.T) {
	t.Parallel()
	world := newGrowing(t, 50)
	first := decodeBody[listBody[blockItem]](t, world.get("/v1/SN_MAIN/blocks?limit=10"))
	world.reorganise(47)
	world.grow(55)
	rest := decodeBody[listBody[blockItem]](t, world.get("/v1/SN_MAIN/blocks?limit=100&cursor="+url.QueryEscape(*first.NextCursor)))
	want := uint64(49)
	for _, item := range append(first.Items, rest.Items...) {
		if item.BlockNumber != want {
			t.Fatalf("got block %d, want %d", item.BlockNumber, want)
		}
		want--
	}
	if want != ^uint64(0) {
		t.Errorf("got a list that ends before block %d, want it down to block 0", want)
	}
}

func TestABlockIsFoundByNumberHashAndLatest(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	head := blocks[len(blocks)-1].Header
	for name, want := range map[string]uint64{
		"0": 0, "28": 28, head.Hash.String(): head.Number, "latest": head.Number,
		fmt.Sprintf("0x%064X", blocks[45].Header.Hash[:]): 45,
	} {
		if body := decodeBody[blockBody](t, s.get("/v1/SN_MAIN/block/"+name)); body.BlockNumber != want || body.BlockHash != blocks[want].Header.Hash {
			t.Errorf("%s: got block %d %s, want %d %s", name, body.BlockNumber, body.BlockHash, want, blocks[want].Header.Hash)
		}
	}
	for _, name := range []string{"61", "2147483648", "9007199254740991", "0x0", blocks[3].Transactions[0].Hash.String(), blocks[1].Header.StateRoot.String()} {
		requireFailure(t, s.get("/v1/SN_MAIN/block/"+name), http.StatusNotFound, domain.CodeNotFound)
		requireFailure(t, s.get("/v1/SN_MAIN/block/"+name+"/txs"), http.StatusNotFound, domain.CodeNotFound)
	}
	for _, name := range []string{"-1", "007", "pending", "Latest", "1e3", "9007199254740992", "0xg", "0x800000000000011000000000000000000000000000000000000000000000001"} {
		requireFailure(t, s.get("/v1/SN_MAIN/block/"+name), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestBlockMatchesTheChain(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	s.services.Cache.Listening(true)
	for _, b := range repotest.Everyday(t) {
		h := b.Header
		want := blockBody{
			ChainID: domain.Mainnet, BlockItem: expectedBlock(h), StateRoot: &h.StateRoot, SequencerAddress: &h.Sequencer,
			L1DataAvailabilityMode: &h.L1DAMode, StarknetVersion: &h.Version,
			L1GasPrice: expectedPrice(h.L1Gas), L2GasPrice: expectedPrice(h.L2Gas), L1DataGasPrice: expectedPrice(h.L1DataGas),
			Transactions: expectedTxs(b),
		}
		for range 2 { // the second time from what is remembered
			got := decodeBody[blockBody](t, s.get("/v1/SN_MAIN/block/"+h.Hash.String()))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("block %d: got %+v, want %+v", h.Number, got, want)
			}
		}
	}
}

func TestTxLimitBoundsTheTransactionsOfABlock(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	want := expectedTxs(blocks[28])
	for _, limit := range []int{1, 15, 16, 200} {
		got := decodeBody[blockBody](t, s.get(fmt.Sprintf("/v1/SN_MAIN/block/28?tx_limit=%d", limit)))
		requireEqual(t, fmt.Sprint(limit), got.Transactions, want[:min(limit, len(want))])
		if got.TxCount != len(want) {
			t.Errorf("%d transactions, want %d", got.TxCount, len(want))
		}
	}
	for _, limit := range []string{"0", "201", "-1", "x", ""} {
		requireFailure(t, s.get("/v1/SN_MAIN/block/28?tx_limit="+limit), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestPagesOfABlocksTransactionsHaveNoDuplicatesOrGaps(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	for _, number := range []int{1, 28, 60} {
		want := expectedTxs(blocks[number])
		for _, limit := range []int{1, 5, 16, 100} {
			path := fmt.Sprintf("/v1/SN_MAIN/block/%d/txs", number)
			requireEqual(t, fmt.Sprintf("%s by %d", path, limit), walk[txItem](s, path, nil, limit), want)
		}
	}
	cursor := *decodeBody[listBody[txItem]](t, s.get("/v1/SN_MAIN/block/28/txs?limit=2")).NextCursor
	for _, path := range []string{"/v1/SN_MAIN/block/29/txs", "/v1/SN_MAIN/blocks", "/v1/SN_MAIN/block/" + blocks[28].Header.Hash.String() + "/txs"} {
		e := requireFailure(t, s.get(path+"?cursor="+cursor), http.StatusBadRequest, domain.CodeInvalidRequest)
		if e.DocSlug != "errors/invalid-cursor" {
			t.Errorf("%s: got %s, want errors/invalid-cursor", path, e.DocSlug)
		}
	}
}

// TestTransactionPagesOfTheLatestBlockStayInThatBlock pages through the latest
// block while another one becomes the latest.
func TestTransactionPagesOfTheLatestBlockStayInThatBlock(t *testing.T) {
	t.Parallel()
	world := newGrowing(t, 50)
	first := decodeBody[listBody[txItem]](t, world.get("/v1/SN_MAIN/block/latest/txs?limit=2"))
	world.grow(52)
	rest := decodeBody[listBody[txItem]](t, world.get("/v1/SN_MAIN/block/latest/txs?limit=100&cursor="+*first.NextCursor))
	var hashes []starknet.Felt
	for _, item := range append(first.Items, rest.Items...) {
		hashes = append(hashes, item.TxHash)
	}
	var want []starknet.Felt
	for _, tx := range world.blocks[49].Transactions {
		want = append(want, tx.Hash)
	}
	requireEqual(t, "the block that was the latest", hashes, want)
}

// TestCursorOfAReplacedBlockIsRejected pages through a block that a
// reorganisation replaces by one of the same number.
func TestCursorOfAReplacedBlockIsRejected(t *testing.T) {
	t.Parallel()
	world := newGrowing(t, 50)
	cursor := *decodeBody[listBody[txItem]](t, world.get("/v1/SN_MAIN/block/49/txs?limit=2")).NextCursor
	world.reorganise(48)
	e := requireFailure(t, world.get("/v1/SN_MAIN/block/49/txs?limit=2&cursor="+cursor), http.StatusBadRequest, domain.CodeInvalidRequest)
	if e.DocSlug != "errors/invalid-cursor" {
		t.Errorf("got %+v, want errors/invalid-cursor", e)
	}
	requireFailure(t, world.get("/v1/SN_MAIN/block/"+world.blocks[49].Header.Hash.String()), http.StatusNotFound, domain.CodeNotFound)
}
