package tokens_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// summed is a database of repotest.Followed whose transfers are summed up.
type summed struct {
	*testing.T
	db     *repo.DB
	conn   *pgx.Conn
	tokens *token.Tokens
	blocks []facts.Block
}

func newSummed(t *testing.T) *summed {
	t.Helper()
	url := pgtest.Database(t, repotest.Followed)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return &summed{t, db, conn, token.NewTokens(tokens.NewTokens(db), tokens.NewSummaries(db), tokens.NewTransfers(db), chain.NewStatuses(onchain.NewHeads(db), 0)), repotest.Everyday(t)}
}

// sum takes one step.
func (s *summed) sum(about int) token.Summing {
	s.Helper()
	done, err := tokens.NewSummaries(s.db).SumTransfers(s.Context(), domain.Mainnet, about)
	if err != nil {
		s.Fatal(err)
	}
	return done
}

// sumAll takes steps of a size until nothing is left.
func (s *summed) sumAll(about int) (steps int) {
	s.Helper()
	for {
		steps++
		if done := s.sum(about); !done.More {
			return steps
		}
	}
}

func (s *summed) exec(sql string) {
	s.Helper()
	if _, err := s.conn.Exec(s.Context(), sql); err != nil {
		s.Fatal(err)
	}
}

// count computes the expected counts of the blocks up to a number.
func (s *summed) count(upTo uint64) map[starknet.Felt]*token.Counts {
	counts := make(map[starknet.Felt]*token.Counts)
	senders, receivers := map[[2]starknet.Felt]bool{}, map[[2]starknet.Felt]bool{}
	for _, block := range s.blocks {
		for _, t := range block.Tokens {
			if block.Header.Number <= upTo && counts[t.Address] == nil {
				counts[t.Address] = new(token.Counts)
			}
		}
		for _, t := range block.Transfers {
			if block.Header.Number > upTo {
				continue
			}
			count := counts[t.Token]
			count.Transfers++
			if pair := [2]starknet.Felt{t.Token, t.From}; !senders[pair] {
				senders[pair] = true
				count.Senders++
			}
			if pair := [2]starknet.Felt{t.Token, t.To}; !receivers[pair] {
				receivers[pair] = true
				count.Receivers++
			}
		}
	}
	return counts
}

// requires compares every token's summary with the expected counts.
func (s *summed) requires(status token.SummaryStatus, upTo uint64) {
	s.Helper()
	want := s.count(upTo)
	var addresses []starknet.Felt
	for address := range want {
		addresses = append(addresses, address)
	}
	summaries, err := s.tokens.Summaries(s.Context(), domain.Mainnet, addresses)
	if err != nil {
		s.Fatal(err)
	}
	for i, address := range addresses {
		got := summaries[i]
		if got == nil || got.Status != status || got.Counts == nil || *got.Counts != *want[address] || got.Address != address {
			s.Fatalf("token %s is %+v with %v, want %s with %v", address, got, got.Counts, status, want[address])
		}
	}
}

// last is the newest block.
func (s *summed) last() uint64 { return s.blocks[len(s.blocks)-1].Header.Number }

func TestSumsAndHeadRowsCountEveryTransferOnce(t *testing.T) {
	t.Parallel()
	for _, about := range []int{1, 37, 1_000_000} {
		t.Run(fmt.Sprint(about), func(t *testing.T) {
			t.Parallel()
			s := newSummed(t)
			s.requires(token.SummaryComputed, s.last())
			first := s.sum(about)
			if !first.Advanced {
				t.Fatal("got no progress, want some")
			}
			s.requires(token.SummaryCurrent, s.last())
			steps := s.sumAll(about)
			s.requires(token.SummaryCurrent, s.last())
			if done := s.sum(about); done.Advanced {
				t.Errorf("got %+v for finalized blocks, want no progress", done)
			}
			if about == 1 && steps < 10 {
				t.Errorf("got %d steps, want at least 10", steps)
			}
			var through uint64
			if err := s.conn.QueryRow(t.Context(), "SELECT block FROM token_summary_checkpoints WHERE chain = 1").Scan(&through); err != nil {
				t.Fatal(err)
			}
			if through != repotest.FollowedFinalized {
				t.Errorf("got sums up to block %d, want %d", through, repotest.FollowedFinalized)
			}
		})
	}
}

func TestAnAddressWithoutATokenHasNoSummary(t *testing.T) {
	t.Parallel()
	s := newSummed(t)
	account := s.blocks[10].Transactions[0].Sender
	summaries, err := s.tokens.Summaries(t.Context(), domain.Mainnet, []starknet.Felt{starknet.FeltFromUint64(0xdead), *account})
	if err != nil || summaries[0] != nil || summaries[1] != nil {
		t.Errorf("got %v and %v, want none", summaries, err)
	}
}

func TestSumsThatDifferFromTheirTransfersAreFound(t *testing.T) {
	t.Parallel()
	s := newSummed(t)
	s.sumAll(50)
	check := func() int {
		t.Helper()
		for _, check := range index.NewInspector(s.db).Checks(domain.Mainnet, 0, s.last()) {
			if check.Name == "token sums" {
				findings, err := check.Run(t.Context(), 100)
				if err != nil {
					t.Fatal(err)
				}
				return len(findings)
			}
		}
		t.Fatal("got no check of the sums, want one")
		return 0
	}
	if n := check(); n != 0 {
		t.Errorf("got %d tokens that differ, want none", n)
	}
	s.exec(`UPDATE token_summaries SET senders = senders + 1 WHERE token = (SELECT min(token) FROM token_summaries)`)
	s.exec(`UPDATE token_parties SET received = NOT received WHERE (token, address) = (SELECT token, address FROM token_parties ORDER BY token DESC, address LIMIT 1)`)
	s.exec(`INSERT INTO token_summaries (chain, token, transfers, senders, receivers) VALUES (1, 1000000, 1, 0, 0)`)
	if n := check(); n != 3 {
		t.Errorf("%d tokens differ, want 3", n)
	}
}

// TestSumsAreMadeAnewWhenTheirBlocksChange undoes finalized blocks, as only an
// operator can, and derives transfers again.
func TestSumsAreMadeAnewWhenTheirBlocksChange(t *testing.T) {
	t.Parallel()
	s := newSummed(t)
	s.sumAll(100)
	lease, leads, err := index.NewLeases(s.db).TakeLease(t.Context(), domain.Mainnet, "operator", 1<<40)
	if err != nil || !leads {
		t.Fatalf("got leading %v and %v, want the lease", leads, err)
	}
	to := s.blocks[30].Header
	if err := index.NewWriter(s.db).Rollback(t.Context(), lease, &domain.BlockRef{Number: to.Number, Hash: to.Hash}); err != nil {
		t.Fatal(err)
	}
	s.requires(token.SummaryComputed, 30)
	s.sumAll(100)
	s.requires(token.SummaryStale, 30) // the chain is far ahead of the index now

	for run, err := range index.NewArchive(s.db).StoredRuns(t.Context(), domain.Mainnet, 0, 30) {
		if err != nil {
			t.Fatal(err)
		}
		if err := index.NewWriter(s.db).Rewrite(t.Context(), lease, run, facts.TableTransfers); err != nil {
			t.Fatal(err)
		}
	}
	s.requires(token.SummaryComputed, 30)
	s.sumAll(7)
	s.requires(token.SummaryStale, 30)
}

// TestSumsOfANewHeadStay undoes blocks that are not finalized.
func TestSumsOfANewHeadStay(t *testing.T) {
	t.Parallel()
	s := newSummed(t)
	s.sumAll(100)
	lease, leads, err := index.NewLeases(s.db).TakeLease(t.Context(), domain.Mainnet, "index", 1<<40)
	if err != nil || !leads {
		t.Fatalf("got leading %v and %v, want the lease", leads, err)
	}
	to := s.blocks[repotest.FollowedFinalized+2].Header
	if err := index.NewWriter(s.db).Undo(t.Context(), lease, &domain.BlockRef{Number: to.Number, Hash: to.Hash}); err != nil {
		t.Fatal(err)
	}
	s.requires(token.SummaryCurrent, to.Number)
}

// TestSumsThatAreFarBehindAreStale simulates an index that is far ahead of the
// sums.
func TestSumsThatAreFarBehindAreStale(t *testing.T) {
	t.Parallel()
	s := newSummed(t)
	s.sumAll(100)
	s.exec(`UPDATE index_checkpoints SET block = 1000, finalized_block = 900`)
	moved := s.count(repotest.FollowedFinalized)
	stale, computed := 0, 0
	for address, counts := range s.count(s.last()) {
		summaries, err := s.tokens.Summaries(t.Context(), domain.Mainnet, []starknet.Felt{address})
		if err != nil {
			t.Fatal(err)
		}
		want, status := moved[address], token.SummaryStale
		if want == nil || want.Transfers == 0 { // there are no sums of it
			want, status = counts, token.SummaryComputed
			computed++
		} else {
			stale++
		}
		if got := summaries[0]; got.Status != status || *got.Counts != *want || (got.UpdatedAt != nil) != (status == token.SummaryStale) {
			t.Errorf("token %s is %s with %v, want %s with %v", address, got.Status, got.Counts, status, want)
		}
	}
	if stale == 0 || computed == 0 {
		t.Errorf("got %d stale and %d computed tokens, want some of each", stale, computed)
	}
}

// TestWhatIsNotWholeIsNotCounted simulates an index that began later: only
// tokens that were deployed since are counted.
func TestWhatIsNotWholeIsNotCounted(t *testing.T) {
	t.Parallel()
	s := newSummed(t)
	s.exec(`UPDATE index_checkpoints SET first_block = 1`)
	s.exec(`UPDATE contract_classes SET origin = 0 WHERE block < 3`)
	var unknown, known int
	deployed := map[starknet.Felt]bool{}
	for _, block := range s.blocks[3:] {
		for _, change := range block.Changes {
			deployed[change.Address] = deployed[change.Address] || change.Origin == facts.Deployed
		}
	}
	for address, counts := range s.count(s.last()) {
		summaries, err := s.tokens.Summaries(t.Context(), domain.Mainnet, []starknet.Felt{address})
		if err != nil {
			t.Fatal(err)
		}
		got := summaries[0]
		if deployed[address] {
			known++
			if got.Status != token.SummaryComputed || *got.Counts != *counts {
				t.Errorf("token %s: got %s with %v, want %s with %v", address, got.Status, got.Counts, token.SummaryComputed, counts)
			}
			continue
		}
		unknown++
		if got.Status != token.SummaryMetadataOnly || got.Counts != nil || (got.Latest != nil) != (counts.Transfers > 0) {
			t.Errorf("token %s: got %s with %v, want %s without counts", address, got.Status, got.Counts, token.SummaryMetadataOnly)
		}
	}
	if unknown == 0 || known == 0 {
		t.Errorf("got %d unknown and %d known tokens, want some of each", unknown, known)
	}
}
