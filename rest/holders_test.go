package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/jobs/census"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/starknet"
)

// Tokens of the everyday chain.
const (
	strk  = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"
	usdt  = "0x68f5c6a61780768455de69077e07e89787839bf8166decfbf92b645209c0fb8"
	vstrk = "0x782f0ddca11d9950bc3220e35ac82cf868778edb67a5e58b39838544bc4cd0f" // whose first supply has no event
)

// counted is the template of repotest.Followed with the censuses that the job
// makes of it.
func counted(ctx context.Context, url string) error {
	if err := repotest.Followed(ctx, url); err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	return countAll(ctx, db)
}

// countAll lets the real job ask a real simulated node.
func countAll(ctx context.Context, db *repo.DB) error {
	simulated, err := simtest.Open(sim.Config{Blocks: 60})
	if err != nil {
		return err
	}
	defer func() { _ = simulated.Close() }()
	server := httptest.NewServer(simulated.Handler())
	defer server.Close()
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}})
	if err != nil {
		return err
	}
	defer pool.Close()
	worker := &census.Worker{
		Nodes: map[domain.Chain]token.Views{domain.Mainnet: pool.Source()}, Index: index.NewCheckpoints(db), Classes: index.NewArchive(db), Store: repositories.Census(db), Logger: slog.New(slog.DiscardHandler),
		Refresh: time.Hour, Retention: 6 * time.Hour,
	}
	return worker.Run(ctx, time.Now())
}

// register is a service over counted tokens.
type register struct {
	*service
	conn *pgx.Conn
}

func newRegister(t *testing.T) *register {
	t.Helper()
	url := pgtest.Database(t, counted)
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
	screensThree := func(o *Options) { o.Censuses = token.NewCensuses(tokens.NewCensus(db), 3, time.Now) }
	return &register{newServiceOver(t, db, time.Now, screensThree), conn}
}

func (r *register) do(sql string) {
	r.t.Helper()
	if _, err := r.conn.Exec(r.t.Context(), sql); err != nil {
		r.t.Fatal(err)
	}
}

// holders reads a page.
func (r *register) holders(contract, query string) censusBody {
	r.t.Helper()
	return readRegister[censusBody](r, contract+"/holders"+query)
}

func readRegister[T any](r *register, path string) (body T) {
	r.t.Helper()
	a := r.get("/v1/SN_MAIN/token/" + path)
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
		r.t.Fatalf("%s: got %d %s (%v), want 200 and a %T", path, a.StatusCode, a.body, err, body)
	}
	return body
}

// refused expects a failure.
func (r *register) refused(path string, status int, code domain.Code) envelope {
	r.t.Helper()
	return requireFailure(r.t, r.get("/v1/SN_MAIN/token/"+path), status, code)
}

// byHand adds up the transfers of a token up to a block, zero balances left
// out, the largest first.
func byHand(t *testing.T, contract string, upTo uint64) (lines []string, total *big.Int) {
	t.Helper()
	balances := map[starknet.Felt]*big.Int{}
	book := func(party starknet.Felt, change *big.Int) {
		if balances[party] == nil {
			balances[party] = new(big.Int)
		}
		balances[party].Add(balances[party], change)
	}
	for _, block := range repotest.Everyday(t)[:upTo+1] {
		for _, transfer := range block.Transfers {
			if transfer.Standard == facts.ERC20 && transfer.Token.String() == contract {
				book(transfer.From, new(big.Int).Neg(transfer.Amount.Big()))
				book(transfer.To, transfer.Amount.Big())
			}
		}
	}
	var list []starknet.Felt
	total = new(big.Int)
	for party, balance := range balances {
		if !party.IsZero() && balance.Sign() != 0 {
			list, total = append(list, party), total.Add(total, balance)
		}
	}
	slices.SortFunc(list, func(a, b starknet.Felt) int {
		if order := balances[b].Cmp(balances[a]); order != 0 {
			return order
		}
		return a.Cmp(b)
	})
	for i, party := range list {
		lines = append(lines, fmt.Sprintf("%d,%s,%s\n", i+1, party, balances[party]))
	}
	return lines, total
}

// TestHoldersListTheWholeCertifiedGeneration walks the list at several limits:
// every holder is in it once, with rank and balance as the transfers add up.
func TestHoldersListTheWholeCertifiedGeneration(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	want, total := byHand(t, strk, repotest.FollowedFinalized)
	for _, limit := range []int{1, 7, 25, 100} {
		var lines []string
		page := r.holders(strk, fmt.Sprintf("?limit=%d", limit))
		for {
			for _, h := range page.Items {
				lines = append(lines, fmt.Sprintf("%d,%s,%s\n", h.Rank, h.Address, h.BalanceRaw))
				if h.LastUpdatedBlock > repotest.FollowedFinalized {
					t.Errorf("got %s, want no update after block %d", encodeText(h), repotest.FollowedFinalized)
				}
			}
			if page.NextCursor == nil {
				break
			}
			if len(page.Items) != limit {
				t.Fatalf("got a page of %d holders, want %d", len(page.Items), limit)
			}
			page = r.holders(strk, fmt.Sprintf("?limit=%d&cursor=%s", limit, *page.NextCursor))
		}
		if !slices.Equal(lines, want) {
			t.Errorf("limit %d: got\n%v\nwant\n%v", limit, lines, want)
		}
		digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(strings.Join(want, ""))))
		if *page.RowDigest != digest || *page.HolderCount != int64(len(want)) || page.HolderBalanceTotalRaw.Big().Cmp(total) != 0 || page.Completeness != "exact" {
			t.Errorf("got %s, want the digest %s over %d holders of %s", encodeText(page), digest, len(want), total)
		}
		if page.AsOfBlock != repotest.FollowedFinalized || page.AsOfBlockHash != repotest.Everyday(t)[repotest.FollowedFinalized].Header.Hash ||
			page.Certification.Status != token.CensusCertified || page.Certification.ReasonCode != nil || page.Certification.CheckedAt == nil {
			t.Errorf("got %s, want a certified census of block %d", encodeText(page), repotest.FollowedFinalized)
		}
		if left := time.Until(page.ExpiresAt); left < 5*time.Hour || left > 6*time.Hour {
			t.Errorf("got %s until it expires, want 5 to 6 hours", left)
		}
	}
	if page := r.holders(strk, ""); len(page.Items) != min(25, len(want)) {
		t.Errorf("no limit: got %d holders, want %d", len(page.Items), min(25, len(want)))
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?block=3", "?cursor=a&cursor=b"} {
		r.refused(strk+"/holders"+query, http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestCursorIsBoundToItsGeneration(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	first := r.holders(strk, "?limit=5")
	r.do("UPDATE index_checkpoints SET finalized_block = 50")
	r.do("UPDATE tokens SET census_due = '-infinity'")
	if err := countAll(t.Context(), r.db); err != nil {
		t.Fatal(err)
	}
	next := r.holders(strk, "?limit=3&cursor="+*first.NextCursor)
	if next.GenerationID != first.GenerationID || next.AsOfBlock != first.AsOfBlock || next.Items[0].Rank != 6 || *next.RowDigest != *first.RowDigest {
		t.Errorf("got %s, want the sixth holder in the generation of %s", encodeText(next), encodeText(first))
	}
	if newest := r.holders(strk, ""); newest.GenerationID == first.GenerationID || newest.AsOfBlock != 50 || *newest.RowDigest == *first.RowDigest {
		t.Errorf("newest: got %s, want another generation than %s, of block 50", encodeText(newest), encodeText(first))
	}
	want, _ := byHand(t, strk, 50)
	if newest := r.holders(strk, ""); *newest.HolderCount != int64(len(want)) || *newest.RowDigest != fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(strings.Join(want, "")))) {
		t.Errorf("newest: got %s, want the %d holders that the transfers say", encodeText(newest), len(want))
	}
}

func TestCursorExpiresWithItsGeneration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(*register)
		path string
	}{
		"expired":       {func(r *register) { r.do("UPDATE census_generations SET expires_at = now()") }, strk},
		"forgotten":     {func(r *register) { r.do("DELETE FROM census_generations") }, strk},
		"revoked":       {func(r *register) { r.hold(strk) }, strk},
		"rolled back":   {func(r *register) { r.rollback(40) }, strk},
		"another token": {func(*register) {}, usdt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRegister(t)
			cursor := *r.holders(strk, "?limit=1").NextCursor
			c.end(r)
			e := r.refused(c.path+"/holders?limit=1&cursor="+cursor, http.StatusBadRequest, domain.CodeInvalidRequest)
			if e.DocSlug != "errors/invalid-cursor" || !strings.HasPrefix(e.Message, "invalid_cursor") {
				t.Errorf("got %+v, want invalid_cursor", e)
			}
		})
	}
}

// hold revokes the census of a token as an operator does.
func (r *register) hold(contract string) {
	r.t.Helper()
	if n, err := tokens.NewCensusBuilder(r.db).HoldCensus(r.t.Context(), domain.Mainnet, starknet.MustFelt(contract), "a test"); err != nil || n == 0 {
		r.t.Fatalf("got %d held generations and %v, want some", n, err)
	}
}

// rollback takes the index back as an operator does.
func (r *register) rollback(to uint64) {
	r.t.Helper()
	lease, leads, err := index.NewLeases(r.db).TakeLease(r.t.Context(), domain.Mainnet, "test", time.Hour)
	if err == nil && leads {
		err = index.NewWriter(r.db).Rollback(r.t.Context(), lease, &domain.BlockRef{Number: to, Hash: repotest.Everyday(r.t)[to].Header.Hash})
	}
	if err != nil || !leads {
		r.t.Fatalf("got leads %v and %v, want a rollback", leads, err)
	}
}

// collection finds a token of the everyday chain that is no ERC-20.
func collection(t *testing.T) string {
	t.Helper()
	for _, block := range repotest.Everyday(t) {
		for _, shown := range block.Tokens {
			if shown.Standard == facts.ERC721 {
				return shown.Address.String()
			}
		}
	}
	t.Fatal("got no ERC-721 on the chain, want one")
	return ""
}

// TestHoldersOfATokenInEachState shows that no rows are served but certified
// ones, and what is said instead.
func TestHoldersOfATokenInEachState(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	r.hold(usdt)
	for contract, want := range map[string]struct {
		status token.CensusStatus
		reason string
	}{vstrk: {token.CensusAuditFailed, token.ReasonSupplyMismatch}, usdt: {token.CensusRevoked, token.ReasonOperator}} {
		page := r.holders(contract, "")
		if page.Certification.Status != want.status || *page.Certification.ReasonCode != want.reason || len(page.Items) != 0 || page.HolderCount != nil ||
			page.HolderBalanceTotalRaw != nil || page.RowDigest != nil || page.NextCursor != nil || page.Completeness != "truncated" || page.AsOfBlock != repotest.FollowedFinalized {
			t.Errorf("%s: got %s, want no holders, %s for %s", contract, encodeText(page), want.status, want.reason)
		}
	}
	if strings.Contains(r.log.String(), "level=ERROR") {
		t.Errorf("got the log\n%s\nwant no errors for expected states", r.log)
	}
	unqualified := collection(t)
	for _, route := range []string{"/holders", "/holders/screening", "/holders/analytics"} {
		if e := r.refused(unqualified+route, http.StatusUnprocessableEntity, domain.CodeUnqualifiedToken); !strings.Contains(e.Message, "not_erc20") {
			t.Errorf("%s: got %+v, want not_erc20", route, e)
		}
		r.refused("0x123"+route, http.StatusNotFound, domain.CodeNotFound)
		r.refused("nonsense"+route, http.StatusBadRequest, domain.CodeInvalidRequest)
	}
	r.do("DELETE FROM census_generations")
	r.warms(strk)
	r.do("DELETE FROM census_policies")
	r.warms(strk)
	r.warms(unqualified)
}

// warms expects that a census is being prepared.
func (r *register) warms(contract string) {
	r.t.Helper()
	for _, route := range []string{"/holders", "/holders/screening", "/holders/analytics"} {
		a := r.get("/v1/SN_MAIN/token/" + contract + route)
		requireFailure(r.t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
		if a.Header.Get("Retry-After") != "5" {
			r.t.Errorf("%s: got Retry-After %q, want 5", route, a.Header.Get("Retry-After"))
		}
	}
}

func TestRollbackRevokesTheCensusUntilTheNextOne(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	r.rollback(40)
	r.warms(strk) // its policy was of a block that is gone
	if err := countAll(t.Context(), r.db); err != nil {
		t.Fatal(err)
	}
	if page := r.holders(strk, ""); page.AsOfBlock != 40 || page.Certification.Status != token.CensusCertified {
		t.Errorf("got %s, want it certified at block 40", encodeText(page))
	}
	r.do("UPDATE census_generations SET status = 'revoked', reason = 'rolled_back'")
	if page := r.holders(strk, ""); page.Certification.Status != token.CensusRevoked || *page.Certification.ReasonCode != token.ReasonRolledBack || len(page.Items) != 0 {
		t.Errorf("got %s, want no holders, revoked for %s", encodeText(page), token.ReasonRolledBack)
	}
}

func TestCertifiedGenerationIsShownAfterAFailedAuditUntilItExpires(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	good := r.holders(strk, "")
	block := repotest.Everyday(t)[repotest.FollowedFinalized].Header
	draft, err := tokens.NewCensusBuilder(r.db).BuildCensus(t.Context(), domain.Mainnet, token.CensusOrder{
		Token: starknet.MustFelt(strk), Block: domain.BlockRef{Number: block.Number, Hash: block.Hash}, Supply: new(domain.AmountFromUint64(1)),
	})
	if err != nil {
		t.Fatal(err)
	}
	draft.CheckedAt, draft.ExpiresAt = time.Now(), time.Now().Add(time.Hour)
	if _, err := tokens.NewCensusBuilder(r.db).PublishCensus(t.Context(), domain.Mainnet, draft); err != nil {
		t.Fatal(err)
	}
	if page := r.holders(strk, ""); page.GenerationID != good.GenerationID || page.Certification.Status != token.CensusCertified || len(page.Items) == 0 {
		t.Errorf("before it expires: got %s, want the certified generation %v", encodeText(page), good.GenerationID)
	}
	r.do("UPDATE census_generations SET expires_at = now() WHERE status = 'certified'")
	if page := r.holders(strk, ""); page.Certification.Status != token.CensusAuditFailed || len(page.Items) != 0 {
		t.Errorf("after it expired: got %s, want no holders, %s", encodeText(page), token.CensusAuditFailed)
	}
}

func TestScreeningListsTheTopHoldersWithoutClaimingCompleteness(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	all := r.holders(strk, "?limit=100")
	screened := readRegister[holderScreeningBody](r, strk+"/holders/screening")
	if !slices.EqualFunc(screened.Items, all.Items[:3], func(a, b holderBody) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) ||
		screened.PopulationComplete || screened.AsOfBlock != all.AsOfBlock || screened.GenerationID != all.GenerationID {
		t.Errorf("got %s, want the first 3 holders of %s, without a claim that they are all", encodeText(screened), encodeText(all))
	}
	for _, query := range []string{"?limit=5", "?cursor=x", "?top=5"} {
		r.refused(strk+"/holders/screening"+query, http.StatusBadRequest, domain.CodeInvalidRequest)
		r.refused(strk+"/holders/analytics"+query, http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestAnalyticsCoverTheWholeGeneration(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	lines, total := byHand(t, strk, repotest.FollowedFinalized)
	got := readRegister[holderAnalyticsBody](r, strk+"/holders/analytics")
	if got.ValidatedAgainst != "total_supply_at_block" || got.AsOfBlock != repotest.FollowedFinalized || got.GenerationID != r.holders(strk, "").GenerationID {
		t.Errorf("got %s, want the generation of block %d, validated against the supply", encodeText(got), repotest.FollowedFinalized)
	}
	held, members := new(big.Int), int64(0)
	for _, tier := range got.TierDistribution {
		held.Add(held, tier.BalanceRaw.Big())
		members += tier.Count
	}
	if held.Cmp(total) != 0 || members != int64(len(lines)) {
		t.Errorf("got %s held by %d in the tiers, want %s by %d", held, members, total, len(lines))
	}
	top := new(big.Int)
	for i, line := range lines {
		balance, _ := new(big.Int).SetString(strings.TrimSpace(line[strings.LastIndex(line, ",")+1:]), 10)
		top.Add(top, balance)
		share := map[int]holderShareBody{4: got.Top5, 9: got.Top10, 99: got.Top100}[i]
		if bps := new(big.Int).Div(new(big.Int).Mul(top, big.NewInt(10_000)), total).Int64(); share.ShareBps != 0 && (share.ShareBps != bps || share.BalanceRaw.Big().Cmp(top) != 0) {
			t.Errorf("first %d holders: got %s, want %s (%d basis points)", i+1, encodeText(share), top, bps)
		}
	}
	if got.GiniPpm <= 0 || got.GiniPpm >= 1_000_000 || *got.Nakamoto50Count < 1 || *got.Nakamoto50Count > members {
		t.Errorf("got %s, want a Gini coefficient below 1 and at most %d holders for half", encodeText(got), members)
	}
}
