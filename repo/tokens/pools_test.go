package tokens_test

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// scan reads all factories to their end.
func (s *shelf) scan(factories []token.Factory) {
	s.Helper()
	for _, factory := range factories {
		for more := true; more; {
			var err error
			if more, err = tokens.NewPools(s.db).ScanPools(s.Context(), domain.Mainnet, factory); err != nil {
				s.Fatal(err)
			}
		}
	}
}

func (s *shelf) number(sql string) (n int) {
	s.Helper()
	if err := s.conn.QueryRow(s.Context(), sql).Scan(&n); err != nil {
		s.Fatal(err)
	}
	return n
}

const countPools = "SELECT count(*) FROM market_pools"

// TestOnlyFinalizedPoolsAreKept uses a chain whose exchanges open in block 7.
func TestOnlyFinalizedPoolsAreKept(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	known := token.Factories(domain.Mainnet)
	s.scan(known)
	if n := s.number("SELECT count(*) FROM market_scans"); n != 0 {
		t.Errorf("got %d scanned factories before any block is final, want none", n)
	}
	for _, c := range []struct{ finalized, pools int }{{6, 0}, {7, 8}, {50, 8}} {
		if _, err := s.conn.Exec(t.Context(), "UPDATE index_checkpoints SET finalized_block = $1", c.finalized); err != nil {
			t.Fatal(err)
		}
		s.scan(known)
		if n := s.number(countPools); n != c.pools {
			t.Errorf("with %d finalized there are %d pools, want %d", c.finalized, n, c.pools)
		}
		if n := s.number("SELECT min(block) FROM market_scans"); n != c.finalized {
			t.Errorf("they were read up to %d, want %d", n, c.finalized)
		}
	}
}

// TestBlocksThatReadersCannotSeeAreNotScanned puts block 7 into a partition that is
// still loading.
func TestBlocksThatReadersCannotSeeAreNotScanned(t *testing.T) {
	t.Parallel()
	s := &shelf{T: t, db: repotest.Open(t)}
	blocks := repotest.Everyday(t)
	index := repotest.NewIndex(t.Context(), s.db, 0, 20)
	index.Finalized = new(uint64(40))
	index.Commit(index.Open(0, 5, indexing.RangeReady), blocks[:5])
	index.Commit(index.Open(5, 0, indexing.RangeLoading), blocks[5:50])
	s.scan(token.Factories(domain.Mainnet))
	if err := index.Err(); err != nil {
		t.Fatal(err)
	}
	lists, _, err := tokens.NewPools(s.db).Pools(t.Context(), domain.Mainnet, token.Factories(domain.Mainnet), []starknet.Felt{blocks[0].Tokens[0].Address}, domain.PageRequest{Limit: 10})
	if err != nil || len(lists[0]) > 0 {
		t.Errorf("got %v and %v, want no pools", lists, err)
	}
}

func TestARollbackTakesPoolsBack(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	known := token.Factories(domain.Mainnet)
	if _, err := s.conn.Exec(t.Context(), "UPDATE index_checkpoints SET finalized_block = 50"); err != nil {
		t.Fatal(err)
	}
	s.scan(known)
	s.index.Rollback(&s.blocks[6].Header)
	if n := s.number(countPools); n != 0 {
		t.Errorf("got %d pools, want none", n)
	}
	if n := s.number("SELECT max(block) FROM market_scans"); n != 6 {
		t.Errorf("got scans up to block %d, want 6", n)
	}
	s.index.Finalized = new(uint64(20))
	s.index.Commit(indexing.Range{From: 0, To: 1000, State: indexing.RangeReady}, s.blocks[7:])
	if err := s.index.Err(); err != nil {
		t.Fatal(err)
	}
	s.scan(known)
	if n := s.number(countPools); n != 8 {
		t.Errorf("%d pools were found again, want 8", n)
	}
}

func TestAnotherEntryOfTheRegistryIsReadAnew(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	if _, err := s.conn.Exec(t.Context(), "UPDATE index_checkpoints SET finalized_block = 50"); err != nil {
		t.Fatal(err)
	}
	known := token.Factories(domain.Mainnet)
	s.scan(known)
	changed := known[0]
	changed.FeeBps = new(25)
	ask := func(factories []token.Factory) []token.Pool {
		lists, late, err := tokens.NewPools(s.db).Pools(t.Context(), domain.Mainnet, factories, []starknet.Felt{strk}, domain.PageRequest{Limit: 100})
		if err != nil || late {
			t.Fatalf("got late %v and %v, want in time", late, err)
		}
		return lists[0]
	}
	for _, scanned := range []bool{false, true} {
		if scanned {
			s.scan([]token.Factory{changed})
		}
		pools := ask([]token.Factory{changed})
		if len(pools) != 1 || *pools[0].FeeBps != 25 {
			t.Errorf("scanned %v: got %+v, want one pool with a fee of 25", scanned, pools)
		}
	}
	if n := s.number(countPools); n != 8 {
		t.Errorf("there are %d pools, want 8", n)
	}
}

var strk = starknet.MustFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")
