package tokens_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// shelf is an index of the everyday chain with a second connection.
type shelf struct {
	*testing.T
	db     *repo.DB
	index  *repotest.Index
	conn   *pgx.Conn
	blocks []facts.Block
	now    time.Time
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	url := pgtest.Database(t, repotest.Migrated)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	s := &shelf{
		T: t, db: db, index: repotest.NewIndex(t.Context(), db, 0, 20), conn: conn, blocks: repotest.Everyday(t),
		now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC),
	}
	s.index.Commit(s.index.Open(0, 1000, indexing.RangeReady), s.blocks)
	if err := s.index.Err(); err != nil {
		t.Fatal(err)
	}
	return s
}

// tokensUpTo returns the tokens that appear in blocks up to a number.
func (s *shelf) tokensUpTo(upTo uint64) (list []starknet.Felt) {
	seen := make(indexing.FirstSeen)
	for _, block := range s.blocks {
		for _, t := range seen.First(block.Header.Number, block.Tokens) {
			if block.Header.Number <= upTo {
				list = append(list, t.Address)
			}
		}
	}
	return slices.Compact(sorted(list))
}

func sorted(felts []starknet.Felt) []starknet.Felt {
	slices.SortFunc(felts, starknet.Felt.Cmp)
	return felts
}

func (s *shelf) claim(upTo uint64, at time.Time, limit int) []starknet.Felt {
	s.Helper()
	claimed, err := tokens.NewTokens(s.db).ClaimTokens(s.Context(), domain.Mainnet, upTo, at, at.Add(time.Minute), limit)
	if err != nil {
		s.Fatal(err)
	}
	return sorted(claimed)
}

// store stores the name "Said" of tokens, as reported at a block.
func (s *shelf) store(at *facts.Header, when time.Time, addresses ...starknet.Felt) int {
	s.Helper()
	reading := token.Reading{Block: domain.BlockRef{Number: at.Number, Hash: at.Hash}, At: when, Next: when.Add(24 * time.Hour)}
	for _, address := range addresses {
		reading.Tokens = append(reading.Tokens, token.Description{Token: address, Metadata: token.Metadata{Name: new("Said"), Decimals: new(uint8(255))}})
	}
	stored, err := tokens.NewTokens(s.db).StoreMetadata(s.Context(), domain.Mainnet, reading)
	if err != nil {
		s.Fatal(err)
	}
	return stored
}

func (s *shelf) count(query string) (n int) {
	s.Helper()
	if err := s.conn.QueryRow(s.Context(), query).Scan(&n); err != nil {
		s.Fatal(err)
	}
	return n
}

func (s *shelf) last() *facts.Header { return &s.blocks[len(s.blocks)-1].Header }

func TestTokensAreClaimedOnceAndOnlyOfVisibleBlocks(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	early, all := s.tokensUpTo(1), s.tokensUpTo(1000)
	if len(early) == 0 || len(early) == len(all) {
		t.Fatalf("got %d of %d tokens early, want some but not all", len(early), len(all))
	}
	if got := s.claim(1, s.now, 1000); !slices.Equal(got, early) {
		t.Errorf("claimed %v of block 1, want %v", got, early)
	}
	first := s.claim(1000, s.now.Add(time.Second), 3)
	rest := s.claim(1000, s.now.Add(time.Second), 1000)
	if len(first) != 3 || !slices.Equal(sorted(slices.Concat(early, first, rest)), all) {
		t.Errorf("got %d, then %d, then %d of %d, want 3 in the second claim and every token once", len(early), len(first), len(rest), len(all))
	}
	if got := s.claim(1000, s.now.Add(2*time.Second), 1000); len(got) != 0 {
		t.Errorf("got %d tokens claimed twice, want none", len(got))
	}
	if got, err := tokens.NewTokens(s.db).ClaimTokens(t.Context(), domain.Sepolia, 1000, s.now, s.now, 1000); err != nil || len(got) != 0 {
		t.Errorf("other chain: got %v and %v, want no tokens", got, err)
	}
}

func TestUnreadTokensComeAgainBeforeThoseReadADayAgo(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	all := s.claim(1000, s.now, 1000)
	if stored := s.store(s.last(), s.now, all[3:]...); stored != len(all)-3 {
		t.Fatalf("got %d stored, want %d", stored, len(all)-3)
	}
	if n := s.count(`SELECT count(*) FROM tokens WHERE name = 'Said' AND symbol IS NULL AND decimals = 255 AND metadata_at = '2026-07-01 12:00Z'`); n != len(all)-3 {
		t.Errorf("got %d tokens with metadata, want %d", n, len(all)-3)
	}
	soon := s.now.Add(time.Minute)
	if got := s.claim(1000, soon, 1000); !slices.Equal(got, all[:3]) {
		t.Errorf("a minute later: got %v, want %v", got, all[:3])
	}
	s.store(s.last(), s.now.Add(-time.Hour), all[10]) // read before the others
	tomorrow := s.now.Add(24 * time.Hour)
	if got := s.claim(1000, tomorrow, 4); !slices.Equal(got, sorted([]starknet.Felt{all[0], all[1], all[2], all[10]})) {
		t.Errorf("a day later: got %v first, want the three without metadata and the oldest", got)
	}
}

func TestWhatWasSaidAtAnUndoneBlockIsNotStored(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	all, early := s.tokensUpTo(1000), s.tokensUpTo(1)
	last := *s.last()
	s.index.Undo(&s.blocks[1].Header)
	if err := s.index.Err(); err != nil {
		t.Fatal(err)
	}
	if stored := s.store(&last, s.now, all...); stored != 0 {
		t.Errorf("got %d tokens stored at a block that is gone, want none", stored)
	}
	other := last
	other.Number = 1
	if stored := s.store(&other, s.now, all...); stored != 0 {
		t.Errorf("got %d tokens stored at a block of another hash, want none", stored)
	}
	if stored := s.store(&s.blocks[1].Header, s.now, append(all, starknet.FeltFromUint64(12345))...); stored != len(early) {
		t.Errorf("%d tokens are described, want the %d that are left", stored, len(early))
	}
	if n := s.count(`SELECT count(*) FROM tokens`); n != len(early) {
		t.Errorf("got %d tokens, want %d", n, len(early))
	}
}

// TestClaimingReadsTheIndexOfDueTokens checks the plans with as many tokens as
// a real chain has.
func TestClaimingReadsTheIndexOfDueTokens(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for _, statement := range []string{
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1000000, 1012000) n`,
		`INSERT INTO tokens (chain, address, block, standard, metadata_due, supply_due, census_due)
			SELECT 1, n, 0, 1, due, due, due FROM generate_series(1000000, 1012000) n, LATERAL (SELECT now() + n * interval '1 second' AS due) d`,
		`ANALYZE tokens`, `ANALYZE addresses`,
	} {
		if _, err := s.conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	statements := tokens.ClaimStatements(s.db, s.now)
	for name, index := range map[string]string{
		"token.claim": "tokens_due", "supply.claim": "tokens_supply_due", "census.claim": "tokens_census_due",
	} {
		if !strings.HasPrefix(statements[name], "/* "+name+" */") {
			t.Errorf("%s: got the statement %s, want it named so", name, statements[name])
		}
		rows, err := s.conn.Query(t.Context(), "EXPLAIN "+statements[name])
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "Index Scan using "+index+" ") || strings.Contains(text, "Seq Scan on") || strings.Contains(text, "Sort") {
			t.Errorf("%s: got the plan\n%s\nwant a scan of %s without a sort", name, text, index)
		}
	}
}

// TestMetadataIsStoredAsItIs uses names that would end a string or an array in
// a statement that did not escape them.
func TestMetadataIsStoredAsItIs(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	names := []string{`it's`, `"quoted"`, `back\slash\'`, `{a,b}`, `NULL`, ``, `?0 ? $1`, `'); DROP TABLE tokens; --`, "line\nbreak", `snowman ☃`}
	reading := token.Reading{Block: domain.BlockRef{Number: s.last().Number, Hash: s.last().Hash}, At: s.now, Next: s.now}
	addresses := s.tokensUpTo(1000)[:len(names)]
	for i, address := range addresses {
		reading.Tokens = append(reading.Tokens, token.Description{Token: address, Metadata: token.Metadata{Name: &names[i], Symbol: &names[i]}})
	}
	reading.Tokens[0].Symbol = nil
	repository := tokens.NewTokens(s.db)
	if stored, err := repository.StoreMetadata(t.Context(), domain.Mainnet, reading); err != nil || stored != len(names) {
		t.Fatalf("got %d stored and %v, want %d", stored, err, len(names))
	}
	found, err := repository.Tokens(t.Context(), domain.Mainnet, addresses)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range found {
		if diff := cmp.Diff(reading.Tokens[i].Metadata, got.Metadata); diff != "" || got.MetadataAt == nil || !got.MetadataAt.Equal(s.now) {
			t.Errorf("token %d (-want +got):\n%s", i, diff)
		}
	}
}
