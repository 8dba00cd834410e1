package rest

import (
	"encoding/json"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

func TestStatusTellsHowTheIndexStands(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	lease, _, err := s.db.TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	block := domain.BlockRef{Number: 763497, Hash: starknet.MustFelt("0x5b0")}
	if err := s.db.RecordHead(t.Context(), lease, chain.Head{State: chain.Following, Block: &block}); err != nil {
		t.Fatal(err)
	}
	a := s.get("/v1/SN_MAIN/status")
	var got struct {
		ChainID         string
		HeadBlockNumber uint64
		HeadBlockHash   string
		LagBlocks       *int
		Indexer         struct{ State, ReasonCode string }
		AsOf            time.Time
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err)
	}
	if got.ChainID != "SN_MAIN" || got.HeadBlockNumber != 763497 || got.HeadBlockHash != "0x5b0" || got.Indexer.State != "following" || got.LagBlocks != nil {
		t.Errorf("got %s", a.body)
	}
	if age := time.Since(got.AsOf); age < 0 || age > time.Minute {
		t.Errorf("as of %s", got.AsOf)
	}
}

func TestStatusOfAChainThatNobodyIndexes(t *testing.T) {
	t.Parallel()
	a := newService(t, nil).get("/v1/SN_MAIN/status")
	var got statusBody
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err)
	}
	if got.HeadBlockNumber != nil || got.Indexer.State != chain.Halted || *got.Indexer.ReasonCode != chain.ReasonNoIndexer {
		t.Errorf("got %s", a.body)
	}
}
