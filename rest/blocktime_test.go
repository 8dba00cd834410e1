package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/repotest"
)

func expectedTimed(h *facts.Header) *timedBlock {
	return &timedBlock{
		BlockNumber: h.Number, BlockHash: h.Hash, TimestampIso: time.Unix(int64(h.Timestamp), 0).UTC(), TimestampUnix: h.Timestamp,
		FinalityStatus: finality(h.Number),
	}
}

// expectedAt looks through all blocks for the one that is closest to a second.
func expectedAt(blocks []facts.Block, second uint64, closest chain.Closest) (at int) {
	at = -1
	for i, b := range blocks {
		if closest == chain.ClosestBefore && b.Header.Timestamp <= second {
			at = i
		}
		if closest == chain.ClosestAfter && b.Header.Timestamp >= second {
			return i
		}
	}
	return at
}

func TestTheBlockAtATimestampIsTheClosestOnItsSide(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	first, last := blocks[0].Header.Timestamp, blocks[len(blocks)-1].Header.Timestamp
	for second := first - 2; second <= last+2; second++ {
		for _, closest := range []chain.Closest{chain.ClosestBefore, chain.ClosestAfter} {
			path := fmt.Sprintf("/v1/SN_MAIN/block-at-timestamp?timestamp=%d&closest=%s", second, closest)
			at := expectedAt(blocks, second, closest)
			if at < 0 {
				requireFailure(t, s.get(path), http.StatusNotFound, domain.CodeNotFound)
				continue
			}
			want := blockAtTimestampBody{
				ChainID: domain.Mainnet, Query: momentQuery{TimestampIso: time.Unix(int64(second), 0).UTC(), TimestampUnix: int64(second), Closest: closest},
				Block: expectedTimed(&blocks[at].Header), Source: "indexed_blocks",
			}
			if before := expectedAt(blocks, second, chain.ClosestBefore); before >= 0 {
				want.PreviousBlock = expectedTimed(&blocks[before].Header)
			}
			if after := expectedAt(blocks, second, chain.ClosestAfter); after >= 0 {
				want.NextBlock = expectedTimed(&blocks[after].Header)
			}
			if got := decodeBody[blockAtTimestampBody](t, s.get(path)); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got %+v, want %+v", path, got, want)
			}
		}
	}
}

func TestTimestampsAreReadAsRFC3339AndAsUnixSeconds(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	ask := func(timestamp, closest string) answer {
		return s.get("/v1/SN_MAIN/block-at-timestamp?" + url.Values{"timestamp": {timestamp}, "closest": {closest}}.Encode())
	}
	at := time.Unix(int64(blocks[28].Header.Timestamp), 0)
	for _, text := range []string{
		fmt.Sprint(at.Unix()), at.UTC().Format(time.RFC3339), at.In(time.FixedZone("", 2*3600)).Format(time.RFC3339),
		at.UTC().Format("2006-01-02t15:04:05z"), at.UTC().Format("2006-01-02T15:04:05.000Z"),
	} {
		for _, closest := range []string{"before", "after"} {
			if body := decodeBody[blockAtTimestampBody](t, ask(text, closest)); body.Block.BlockNumber != 28 || body.Query.TimestampUnix != at.Unix() {
				t.Errorf("%s %s: got block %d at %d, want 28 at %d", closest, text, body.Block.BlockNumber, body.Query.TimestampUnix, at.Unix())
			}
		}
	}
	later := at.UTC().Add(time.Millisecond).Format(time.RFC3339Nano)
	if body := decodeBody[blockAtTimestampBody](t, ask(later, "before")); body.Block.BlockNumber != 28 || body.Query.TimestampIso.Nanosecond() != 1e6 {
		t.Errorf("before %s: got block %d at %s, want 28, with the milliseconds of the request", later, body.Block.BlockNumber, body.Query.TimestampIso)
	}
	if body := decodeBody[blockAtTimestampBody](t, ask(later, "after")); body.Block.BlockNumber != 29 {
		t.Errorf("after %s: got block %d, want 29", later, body.Block.BlockNumber)
	}
	if body := decodeBody[blockAtTimestampBody](t, s.get("/v1/SN_MAIN/block-at-timestamp?timestamp=253402300799")); body.Block.BlockNumber != 60 || body.Query.Closest != "before" {
		t.Errorf("got %s, want block 60, the closest before", encodeText(body))
	}
	for _, text := range []string{"", "yesterday", "-1", "1.5", "01767225782", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", "2026-01-01 00:00:00+02:00", "253402300800", "99999999999999999999"} {
		requireFailure(t, ask(text, "before"), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
	requireFailure(t, ask("1767225782", "around"), http.StatusBadRequest, domain.CodeInvalidRequest)
	requireFailure(t, s.get("/v1/SN_MAIN/block-at-timestamp"), http.StatusBadRequest, domain.CodeInvalidRequest)
}

func TestBlocktimeWithoutABlockInThatDirectionIsNotFound(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	requireFailure(t, s.get("/v1/SN_MAIN/block-at-timestamp?timestamp=1"), http.StatusNotFound, domain.CodeNotFound)
	requireFailure(t, s.get("/v1/SN_MAIN/block-at-timestamp?timestamp=1999999999&closest=after"), http.StatusNotFound, domain.CodeNotFound)
	requireFailure(t, newService(t, nil).get("/v1/SN_MAIN/block-at-timestamp?timestamp=1999999999"), http.StatusNotFound, domain.CodeNotFound)
}

// TestLastIndexedBlockDoesNotAnswerForLaterTimes asks an
// index that is behind its node: whether a later block is closer cannot be known.
func TestLastIndexedBlockDoesNotAnswerForLaterTimes(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.strike("UPDATE chain_heads SET block_number = 61")
	for _, query := range []string{"timestamp=1999999999", fmt.Sprintf("timestamp=%d", repotest.Everyday(t)[60].Header.Timestamp)} {
		a := s.get("/v1/SN_MAIN/block-at-timestamp?" + query)
		e := requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
		if !strings.Contains(e.Message, "ends with block 60") || a.Header.Get("Retry-After") != "1" {
			t.Errorf("%s: got %q and Retry-After %q, want that the index ends with block 60, and 1", query, e.Message, a.Header.Get("Retry-After"))
		}
	}
	at := repotest.Everyday(t)[59].Header.Timestamp
	if body := decodeBody[blockAtTimestampBody](t, s.get(fmt.Sprintf("/v1/SN_MAIN/block-at-timestamp?timestamp=%d", at))); body.Block.BlockNumber != 59 {
		t.Errorf("got %s, want block 59", encodeText(body))
	}
}

// TestFirstIndexedBlockDoesNotAnswerForEarlierTimes asks an index that begins
// later than its chain: whether an earlier block is closer cannot be known.
func TestFirstIndexedBlockDoesNotAnswerForEarlierTimes(t *testing.T) {
	t.Parallel()
	db, blocks := repotest.Open(t), repotest.Everyday(t)
	index := repotest.NewIndex(t.Context(), db, 40, 10)
	index.Commit(index.Open(40, 1000, indexing.RangeReady), blocks[40:])
	index.RecordHead(20)
	if err := index.Err(); err != nil {
		t.Fatal(err)
	}
	s := newServiceOver(t, db, time.Now, nil)
	at := blocks[40].Header.Timestamp
	for path, found := range map[string]bool{
		fmt.Sprintf("timestamp=%d&closest=after", at-1): false,
		fmt.Sprintf("timestamp=%d&closest=after", at):   false,
		fmt.Sprintf("timestamp=%d&closest=after", at+1): true,
		fmt.Sprintf("timestamp=%d", at-1):               false,
		fmt.Sprintf("timestamp=%d", at):                 true,
	} {
		a := s.get("/v1/SN_MAIN/block-at-timestamp?" + path)
		if found {
			decodeBody[blockAtTimestampBody](t, a)
			continue
		}
		if e := requireFailure(t, a, http.StatusNotFound, domain.CodeNotFound); !strings.Contains(e.Message, "begins with block 40") {
			t.Errorf("%s: got %q, want that the index begins with block 40", path, e.Message)
		}
	}
	if e := requireFailure(t, s.get("/v1/SN_MAIN/block/39"), http.StatusNotFound, domain.CodeNotFound); !strings.Contains(e.Message, "begins with block 40") {
		t.Errorf("got %q, want that the index begins with block 40", e.Message)
	}
	if body := decodeBody[blockAtTimestampBody](t, s.get(fmt.Sprintf("/v1/SN_MAIN/block-at-timestamp?timestamp=%d", at))); body.PreviousBlock == nil || body.NextBlock != nil {
		t.Errorf("got %+v, want a previous block and no next one", body)
	}
}
