package rest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

func TestStatusReportsTheIndex(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	lease, _, err := index.NewLeases(s.db).TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	block := domain.BlockRef{Number: 763497, Hash: starknet.MustFelt("0x5b0")}
	if err := index.NewWriter(s.db).RecordHead(t.Context(), lease, chain.Head{State: chain.Following, Block: &block}); err != nil {
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
		t.Errorf("got %s, want the head 763497 0x5b0 followed, without a lag", a.body)
	}
	if age := time.Since(got.AsOf); age < 0 || age > time.Minute {
		t.Errorf("got a status as of %s, want one of the last minute", got.AsOf)
	}
}

func TestStatusReportsTheVisibleBlocks(t *testing.T) {
	t.Parallel()
	l1 := uint64(80)
	service := newService(t, func(o *Options) {
		o.Statuses = chain.NewStatuses(heads{domain.Mainnet: {
			State: chain.Backfilling, Block: &domain.BlockRef{Number: 120}, Led: true, Depth: 7,
			L1: &l1, L1Since: time.Now().Add(-time.Hour),
			Coverage: &chain.Coverage{
				First: 10, Last: 99, Finalized: new(uint64(92)),
				Verification: facts.TransactionsVerified, VerifiedThrough: new(uint64(33)),
			},
		}}, 0)
	})
	a := service.get("/v1/SN_MAIN/status")
	var got statusBody
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]uint64{
		"finalizedBlockNumber":        {*got.FinalizedBlockNumber, 92},
		"finalityDepth":               {got.FinalityDepth, 7},
		"latestL1AcceptedBlockNumber": {*got.LatestL1AcceptedBlockNumber, 80},
		"latestIndexedBlockNumber":    {*got.LatestIndexedBlockNumber, 99},
		"earliestIndexedBlockNumber":  {*got.EarliestIndexedBlockNumber, 10},
		"indexedBlockSpan":            {*got.IndexedBlockSpan, 90},
		"lagBlocks":                   {*got.LagBlocks, 21},
		"verifiedThroughBlock":        {*got.Verification.VerifiedThroughBlock, 33},
		"watermarkBlockNumber":        {*got.L1Finality.WatermarkBlockNumber, 80},
		"watermarkAgeSeconds/60":      {*got.L1Finality.WatermarkAgeSeconds / 60, 60},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %d, want %d", name, pair[0], pair[1])
		}
	}
	if level := got.Verification.Level; level != facts.TransactionsVerified {
		t.Errorf("verification.level: got %s, want %s", level, facts.TransactionsVerified)
	}
}

// heads are stored heads.
type heads map[domain.Chain]chain.Head

// Heads implements chain.Heads.
func (h heads) Heads(context.Context) (map[domain.Chain]chain.Head, error) { return h, nil }

func TestStatusOfAChainWithoutAnIndexer(t *testing.T) {
	t.Parallel()
	a := newService(t, nil).get("/v1/SN_MAIN/status")
	var got statusBody
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err)
	}
	if got.HeadBlockNumber != nil || got.Indexer.State != chain.Halted || *got.Indexer.ReasonCode != chain.ReasonNoIndexer {
		t.Errorf("got %s, want it halted for %s, without a head", a.body, chain.ReasonNoIndexer)
	}
}

func TestStatusOfAStoppedIndex(t *testing.T) {
	t.Parallel()
	a := newExplorer(t).get("/v1/SN_MAIN/status")
	var got statusBody
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err)
	}
	last := uint64(len(repotest.Everyday(t))) - 1
	if *got.LatestIndexedBlockNumber != last || *got.FinalizedBlockNumber != repotest.FollowedFinalized ||
		*got.LatestL1AcceptedBlockNumber != repotest.FollowedL1 || *got.Indexer.ReasonCode != chain.ReasonNoIndexer {
		t.Errorf("got %s, want blocks up to %d, %d finalized and %d accepted on L1, and %s", a.body, last, repotest.FollowedFinalized, repotest.FollowedL1, chain.ReasonNoIndexer)
	}
}
