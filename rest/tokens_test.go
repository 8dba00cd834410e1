package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// strike changes the service's database behind its back.
func (s *service) strike(statement string) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.database)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close(s.t.Context()) }()
	if _, err := conn.Exec(s.t.Context(), statement); err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) summary(of starknet.Felt) tokenBody {
	s.t.Helper()
	var body tokenBody
	a := s.get("/v1/SN_MAIN/token/" + of.String())
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: got %d %s (%v), want 200 and a token", of, a.StatusCode, a.body, err)
	}
	return body
}

func TestATokensSummaryCountsItsTransfers(t *testing.T) {
	t.Parallel()
	s, all := newOwnExplorer(t), movements(t)
	of := busiest(all, ofToken)
	var transfers uint64
	senders, receivers := map[starknet.Felt]bool{}, map[starknet.Felt]bool{}
	latest := uint64(0)
	for _, m := range all {
		if m.Token == of {
			transfers++
			senders[m.From], receivers[m.To] = true, true
			latest = max(latest, m.block.Number)
		}
	}
	for _, want := range []token.SummaryStatus{token.SummaryComputed, token.SummaryCurrent} {
		got := s.summary(of)
		if got.SummaryCacheStatus != want || *got.TransferCount != transfers || *got.DistinctFromCount != uint64(len(senders)) ||
			*got.DistinctToCount != uint64(len(receivers)) || *got.LatestTransferBlock != latest || got.Standard != "erc20" ||
			(got.SummaryCacheUpdatedIso != nil) != (want == token.SummaryCurrent) {
			t.Errorf("got %s, want %s with %d transfers of %d senders to %d receivers, the last in block %d", encodeText(got), want, transfers, len(senders), len(receivers), latest)
		}
		if _, err := tokens.NewSummaries(s.db).SumTransfers(t.Context(), domain.Mainnet, 1); err != nil {
			t.Fatal(err)
		}
	}
	s.strike("UPDATE index_checkpoints SET block = 1000, finalized_block = 500")
	if got := s.summary(of); got.SummaryCacheStatus != token.SummaryStale || *got.TransferCount >= transfers {
		t.Errorf("got %s, want %s with fewer than %d transfers", encodeText(got), token.SummaryStale, transfers)
	}
}

func TestTokenWithoutCountsHasNullsInsteadOfZeros(t *testing.T) {
	t.Parallel()
	s, all := newOwnExplorer(t), movements(t)
	of := busiest(all, ofToken)
	s.strike("UPDATE index_checkpoints SET first_block = 1")
	s.strike("UPDATE contract_classes SET origin = 0")
	a := s.get("/v1/SN_MAIN/token/" + of.String())
	for _, want := range []string{
		`"summaryCacheStatus":"metadata_only"`, `"summaryCacheUpdatedAtIso":null`, `"transferCount":null`, `"distinctFromCount":null`,
		`"distinctToCount":null`, `"totalSupplyRaw":null`, `"totalSupplyBlockNumber":null`, `"symbol":null`, `"metadataUpdatedAtIso":null`,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("got %s, want %s in it", a.body, want)
		}
	}
}

func TestTokenMatchesItsContract(t *testing.T) {
	t.Parallel()
	s, all := newOwnExplorer(t), movements(t)
	of := busiest(all, ofToken)
	last := repotest.Everyday(t)[60].Header
	if _, err := tokens.NewTokens(s.db).StoreMetadata(t.Context(), domain.Mainnet, token.Reading{
		Block: domain.BlockRef{Number: last.Number, Hash: last.Hash}, At: time.Date(2026, 7, 1, 12, 0, 0, 5e6, time.UTC), Next: time.Now(),
		Tokens: []token.Description{{Token: of, Metadata: token.Metadata{Name: new("Ether"), Symbol: new("ETH"), Decimals: new(uint8(18))}}},
	}); err != nil {
		t.Fatal(err)
	}
	s.strike("UPDATE tokens SET supply = 115792089237316195423570985008687907853269984665640564039457584007913129639935, supply_block = 44")
	a := s.get("/v1/SN_MAIN/token/" + of.String())
	for _, want := range []string{
		`"symbol":"ETH"`, `"name":"Ether"`, `"decimals":18`, `"metadataUpdatedAtIso":"2026-07-01T12:00:00.005Z"`,
		`"totalSupplyRaw":"115792089237316195423570985008687907853269984665640564039457584007913129639935"`, `"totalSupplyBlockNumber":44`,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("got %s, want %s in it", a.body, want)
		}
	}
	if a := s.get("/v1/SN_MAIN/token/" + of.String() + "/transfers?limit=1"); !strings.Contains(a.body, `"tokenSymbol":"ETH","tokenName":"Ether","tokenDecimals":18`) {
		t.Errorf("got %s, want the symbol, name and decimals of ETH", a.body)
	}
}

func TestAnAddressWithoutATokenIsNotFound(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	account := repotest.Everyday(t)[10].Transactions[0].Sender.String()
	for _, address := range []string{"0xdead", account} {
		for _, path := range []string{"", "/transfers", "/transfers?address=0x1"} {
			requireFailure(t, s.get("/v1/SN_MAIN/token/"+address+path), http.StatusNotFound, domain.CodeNotFound)
		}
	}
}
