package rest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/rest/frame"
	"astrolabe/sim/economy"
	"astrolabe/starknet"
)

// everyPool lists the pools of each token of the simulated chain, newest first,
// from the events of its two factories.
func everyPool(t *testing.T) map[starknet.Felt][]poolItem {
	t.Helper()
	network, err := economy.NetworkNamed("SN_MAIN")
	if err != nil {
		t.Fatal(err)
	}
	pools := map[starknet.Felt][]poolItem{}
	for _, block := range repotest.Everyday(t) {
		classes := map[starknet.Felt]starknet.Felt{}
		for _, deployed := range block.Deployments {
			classes[deployed.Address] = deployed.Class
		}
		for _, e := range block.Events {
			item := poolItem{CreatedAtBlock: block.Header.Number, FeeBps: new(30)}
			item.Evidence = poolEvidence{
				Kind: "factory_event", FactoryAddress: e.FromAddress, TxHash: block.Transactions[e.TxIndex].Hash, LogIndex: e.LogIndex,
			}
			var tokens []starknet.Felt
			switch {
			case e.FromAddress == network.AMMFactory && e.Keys[0] == starknet.Selector("PairCreated"):
				item.MarketKind, item.ProtocolName, item.Evidence.EventName = "constant_product", "JediSwap V1", "PairCreated"
				tokens, item.PoolAddress = e.Data[:2], &e.Data[2]
				item.MarketID = "jediswap_v1:" + e.Data[2].String()
			case e.FromAddress == network.CLMMFactory && e.Keys[0] == starknet.Selector("PoolCreated"):
				item.MarketKind, item.ProtocolName, item.Evidence.EventName = "concentrated_liquidity", "JediSwap V2", "PoolCreated"
				tokens, item.PoolAddress = e.Keys[1:3], &e.Data[1]
				item.MarketID = "jediswap_v2:" + e.Data[1].String()
			default:
				continue
			}
			item.Evidence.PoolClassHash = classes[*item.PoolAddress]
			for i := range tokens {
				item.PairedToken.Address = tokens[1-i]
				pools[tokens[i]] = append([]poolItem{item}, pools[tokens[i]]...)
			}
		}
	}
	return pools
}

// scanPools lets the job read all factories.
func scanPools(t *testing.T, s *service) {
	t.Helper()
	for _, factory := range token.Factories(domain.Mainnet) {
		for more := true; more; {
			var err error
			if more, err = tokens.NewPools(s.db).ScanPools(t.Context(), domain.Mainnet, factory); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func poolsPath(of starknet.Felt) string { return "/v1/SN_MAIN/token/" + of.String() + "/markets/pools" }

func TestPoolsListWhatKnownFactoriesCreated(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	want := everyPool(t)
	kinds := map[token.MarketKind]bool{}
	for _, scanned := range []bool{false, true} {
		if scanned {
			scanPools(t, s)
		}
		for of, contract := range everyContract(repotest.Everyday(t), 0, 0) {
			if contract.IsToken == nil {
				requireFailure(t, s.get(poolsPath(of)), 404, domain.CodeNotFound)
				continue
			}
			for _, limit := range []int{1, 100} {
				got := walk[poolItem](s, poolsPath(of), nil, limit)
				if difference := cmp.Diff(want[of], got); difference != "" {
					t.Errorf("%s, scanned %v (-want +got):\n%s", of, scanned, difference)
				}
				for _, item := range got {
					kinds[item.MarketKind] = true
				}
			}
			if got := read[poolPage](s, poolsPath(of)); got.Coverage.Status != domain.CoverageExact || got.TokenAddress != of {
				t.Errorf("%s: got %s of %s, want exact coverage", of, encodeText(got.Coverage), got.TokenAddress)
			}
		}
	}
	if len(kinds) != 2 {
		t.Errorf("got the kinds %v, want both", kinds)
	}
}

func TestThePairedTokenShowsItsSymbol(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	network, err := economy.NetworkNamed("SN_MAIN")
	if err != nil {
		t.Fatal(err)
	}
	last := repotest.Everyday(t)[59].Header
	if _, err := tokens.NewTokens(s.db).StoreMetadata(t.Context(), domain.Mainnet, token.Reading{
		Block: domain.BlockRef{Number: last.Number, Hash: last.Hash}, At: time.Now(), Next: time.Now(),
		Tokens: []token.Description{{Token: network.Eth, Metadata: token.Metadata{Symbol: new("ETH")}}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, item := range walk[poolItem](s, poolsPath(network.Strk), nil, 100) {
		if named := item.PairedToken.Address == network.Eth; named != (item.PairedToken.Symbol != nil) {
			t.Errorf("got %s, want a symbol of ETH alone", encodeText(item.PairedToken))
		}
	}
}

// TestPoolOfAnUnknownClassIsOmitted gives one pool another class, and makes
// another one no contract of its block.
func TestPoolOfAnUnknownClassIsOmitted(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	network, err := economy.NetworkNamed("SN_MAIN")
	if err != nil {
		t.Fatal(err)
	}
	want := everyPool(t)[network.Eth]
	if len(want) < 3 {
		t.Fatalf("got %d pools of ETH, want at least 3", len(want))
	}
	for i, statement := range []string{
		"UPDATE contract_classes SET class = (SELECT min(id) FROM classes WHERE chain = 1) WHERE address = (SELECT id FROM addresses WHERE chain = 1 AND felt = $1)",
		"DELETE FROM contract_classes WHERE address = (SELECT id FROM addresses WHERE chain = 1 AND felt = $1)",
	} {
		if _, err := conn.Exec(t.Context(), statement, want[i].PoolAddress[:]); err != nil {
			t.Fatal(err)
		}
	}
	for _, scanned := range []bool{false, true} {
		if scanned {
			scanPools(t, s)
		}
		requireEqual(t, "the others", walk[poolItem](s, poolsPath(network.Eth), nil, 1), want[2:])
		got := read[poolPage](s, poolsPath(network.Eth))
		if got.Coverage.Status != domain.CoveragePartial || *got.Coverage.ReasonCode != token.ReasonPoolsUnrecognised {
			t.Errorf("got %s, want partial for %s", encodeText(got.Coverage), token.ReasonPoolsUnrecognised)
		}
	}
}

// TestEventOfAnotherContractCreatesNoPool lets the factories' events come
// from elsewhere.
func TestEventOfAnotherContractCreatesNoPool(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	elsewhere := starknet.MustFelt(frame.ContractParam.Example)
	if _, err := conn.Exec(t.Context(), `UPDATE events SET address = (SELECT id FROM addresses WHERE chain = 1 AND felt = $2)
		WHERE selector IN (SELECT id FROM selectors WHERE chain = 1 AND felt = ANY($1))`,
		[][]byte{selectorBytes("PairCreated"), selectorBytes("PoolCreated")}, elsewhere[:]); err != nil {
		t.Fatal(err)
	}
	scanPools(t, s)
	for of := range everyPool(t) {
		if got := walk[poolItem](s, poolsPath(of), nil, 100); len(got) > 0 {
			t.Errorf("%s: got %d pools, want none", of, len(got))
		}
	}
}

func selectorBytes(name string) []byte {
	selector := starknet.Selector(name)
	return selector[:]
}

// TestManyNewPoolsMakeTheListPartialUntilTheyAreRead adds more pools than a
// request looks at.
func TestManyNewPoolsMakeTheListPartialUntilTheyAreRead(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	var of starknet.Felt
	for _, factory := range token.Factories(domain.Mainnet) {
		if factory.Event == "PairCreated" {
			of = factory.Address
			break
		}
	}
	tag, err := conn.Exec(t.Context(), `INSERT INTO events (block, tx, log, address, selector, chain, keys, payload)
		SELECT e.block, 20000 + n, 0, e.address, e.selector, 1, e.keys, e.payload
		FROM (SELECT * FROM events WHERE chain = 1 AND selector = (SELECT id FROM selectors WHERE chain = 1 AND felt = $1)
			AND address = (SELECT id FROM addresses WHERE chain = 1 AND felt = $2) ORDER BY block, tx, log LIMIT 1) e, generate_series(1, 1500) n`,
		selectorBytes("PairCreated"), of[:])
	if err != nil || tag.RowsAffected() != 1500 {
		t.Fatalf("got %s and %v, want 1500 new events", tag, err)
	}
	if _, err := conn.Exec(t.Context(), `INSERT INTO transactions SELECT t.block, 20000 + n, t.chain, t.sender, t.contract, t.selector, t.type, t.version, t.reverted,
		t.fee_in_fri, t.signature_len, t.l1_gas, t.l1_data_gas, t.l2_gas, t.fee, t.nonce, t.hash, t.class, t.calldata, t.revert_reason
		FROM (SELECT * FROM transactions WHERE chain = 1 AND block = (SELECT min(block) FROM events WHERE tx > 20000) LIMIT 1) t, generate_series(1, 1500) n`); err != nil {
		t.Fatal(err)
	}
	network, err := economy.NetworkNamed("SN_MAIN")
	if err != nil {
		t.Fatal(err)
	}
	got := read[poolPage](s, poolsPath(network.Eth))
	if got.Coverage.Status != domain.CoveragePartial || *got.Coverage.ReasonCode != token.ReasonPoolsLagging {
		t.Errorf("got %s, want partial for %s", encodeText(got.Coverage), token.ReasonPoolsLagging)
	}
	scanPools(t, s)
	if got := read[poolPage](s, poolsPath(network.Eth)); got.Coverage.Status != domain.CoverageExact {
		t.Errorf("after a scan: got %s, want exact", encodeText(got.Coverage))
	}
	all := walk[poolItem](s, poolsPath(network.Eth), nil, 100)
	if want := len(everyPool(t)[network.Eth]) + 1500; len(all) != want {
		t.Errorf("got %d pools, want %d", len(all), want)
	}
	if !slices.IsSortedFunc(all, func(a, b poolItem) int { return int(b.CreatedAtBlock) - int(a.CreatedAtBlock) }) {
		t.Error("got unsorted pools, want the newest first")
	}
}

func TestPoolsNeedThePartnerPermission(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	path := fmt.Sprintf("/v1/SN_MAIN/token/%s/markets/pools", frame.TokenParam.Example)
	requireFailure(t, s.askWith("GET", path, "X-Service-Api-Key", s.access.Keys[account.Read]), 403, domain.CodeForbidden)
	if a := s.askWith("GET", path, "X-Service-Api-Key", s.access.Keys[account.Partner]); a.StatusCode != 200 {
		t.Errorf("partner: got %d %s, want 200", a.StatusCode, a.body)
	}
}
