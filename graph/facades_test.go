package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/jobs/census"
	"astrolabe/node"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/rest"
	"astrolabe/sim"
	"astrolabe/telemetry"
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
	pool, closeNode, err := simulated()
	if err != nil {
		return err
	}
	defer closeNode()
	worker := &census.Worker{
		Nodes: map[domain.Chain]token.Views{domain.Mainnet: pool.Source()}, Store: db, Logger: slog.New(slog.DiscardHandler),
		Metrics: telemetry.NewMetrics(), Refresh: time.Hour, Retention: 6 * time.Hour,
	}
	return worker.Work(ctx, nil)
}

// simulated is a node of the very chain that is indexed.
func simulated() (pool *node.Pool, closeNode func(), err error) {
	world, err := sim.New(sim.Config{Blocks: 60})
	if err != nil {
		return nil, nil, err
	}
	server := httptest.NewServer(world.Handler())
	if pool, err = node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}}); err != nil {
		return nil, nil, err
	}
	return pool, func() {
		pool.Close()
		server.Close()
		_ = world.Close()
	}, nil
}

// facades are both facades over the same services.
type facades struct {
	*servedGraph
	rest string
}

func bothFacades(t *testing.T) *facades {
	t.Helper()
	pool, closeNode, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeNode)
	db := repotest.OpenTemplate(t, counted)
	var services *explorer.Services
	g := serveOver(t, db, time.Now, func(o *Options) {
		services = explorer.New(explorer.Options{Store: db, Cursors: o.Cursors, Nodes: map[domain.Chain]chain.Node{domain.Mainnet: pool.Source()}})
		o.Chains, o.Services, o.Budget = []domain.Chain{domain.Mainnet}, services, 5*time.Minute
	})
	server := httptest.NewServer(rest.Handler(rest.Options{
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health), Version: "test",
		Chains: []domain.Chain{domain.Mainnet}, Services: services, Gate: g.access.Gate, Usage: account.NewUsage(db, time.Now),
	}))
	t.Cleanup(server.Close)
	return &facades{g, server.URL}
}

// askREST asks the other facade; a body makes it a POST.
func (f *facades) askREST(t *testing.T, path, body string) any {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, f.rest+"/v1/SN_MAIN/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	f.show(r, map[string]string{"Content-Type": "application/json"})
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, response.StatusCode, text, err)
	}
	var fields any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// agree compares every fact that both answers have by the same name, and
// returns how many there are. Lists are items here and nodes there, enums are
// in upper case, amounts may be numbers here.
func agree(t *testing.T, where string, here, there any) (compared int) {
	t.Helper()
	switch h := here.(type) {
	case map[string]any:
		g, ok := there.(map[string]any)
		if !ok {
			t.Errorf("%s is %v there", where, there)
			return 0
		}
		for name, value := range h {
			other, known := g[name]
			if !known && name == "items" {
				other, known = g["nodes"]
			}
			if known {
				compared += agree(t, where+"."+name, value, other)
			}
		}
	case []any:
		g, _ := there.([]any)
		if len(g) != len(h) {
			t.Errorf("%s has %d items here and %d there", where, len(h), len(g))
			return 0
		}
		for i := range h {
			compared += agree(t, fmt.Sprintf("%s[%d]", where, i), h[i], g[i])
		}
	default:
		if !strings.EqualFold(fmt.Sprint(here), fmt.Sprint(there)) {
			t.Errorf("%s is %v here and %v there", where, here, there)
		}
		compared = 1
	}
	return compared
}

// at returns the value at a path of names.
func at(data any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := data.(map[string]any)
		data = object[name]
	}
	return data
}

const (
	bridgeAddress = "0x594c1582459ea03f77deaf9eb7e3917d6994a03c13405ba42867f83d85f085d"
	somewhere     = `"0x37ea899ae28543489542ffed5d02685b279131135279673bf7efa8f018b71f4"`

	eventFacts = `blockNumber timestampIso txHash txIndex logIndex address keys topic0 topic1 topic2 topic3 data decodingStatus eventName eventNameSource
		decodedFields { label type source kind status rawValues originIndexes displayValue addressValue numericValue textValue boolValue } decodedFieldsSource decodedFieldsUnavailableReason`
	transferFacts = `blockNumber timestampIso txIndex logIndex transferIndex txHash tokenAddress fromAddress toAddress amount tokenId standard tokenSymbol tokenName tokenDecimals sourceTier`
	messageFacts  = `direction blockNumber timestampIso txIndex messageIndex messageHash fromAddress toAddress txHash l1ContractAddress l2ContractAddress nonce selector payload status sourceTier`
)

// TestBothFacadesTellTheSameFacts asks both for whatever REST can be asked for.
func TestBothFacadesTellTheSameFacts(t *testing.T) {
	t.Parallel()
	f := bothFacades(t)
	block := repotest.Everyday(t)[40]
	somebody := block.Transactions[slices.IndexFunc(block.Transactions, func(tx facts.Transaction) bool { return tx.Sender != nil })].Sender.String()
	token := func(fields string) string {
		return `{ token(chain: SN_MAIN, address: "` + strk + `") { ` + fields + ` } }`
	}
	contract := func(fields string) string {
		return `{ contract(chain: SN_MAIN, address: "` + bridgeAddress + `") { ` + fields + ` } }`
	}
	address := func(fields string) string {
		return `{ address(chain: SN_MAIN, address: "` + somebody + `") { ` + fields + ` } }`
	}
	for _, q := range []struct {
		path, body, query, data string
		least                   int // facts
	}{
		{"blocks?limit=61", "", `{ blocks(chain: SN_MAIN, first: 61) { nodes { blockNumber blockHash parentHash timestampIso txCount eventCount finalityStatus sourceTier } } }`, "blocks", 61 * 8},
		{"block/28", "", `{ block(chain: SN_MAIN, number: 28) { chainId blockNumber blockHash parentHash timestampIso txCount eventCount finalityStatus sourceTier stateRoot sequencerAddress
			l1DataAvailabilityMode starknetVersion l1GasPrice { priceInWei priceInFri } l2GasPrice { priceInWei priceInFri } l1DataGasPrice { priceInWei priceInFri } } }`, "block", 19},
		{"block/28/txs?limit=100", "", `{ block(chain: SN_MAIN, number: 28) { transactions(first: 100) { nodes { txHash txIndex txCursor txType fromAddress toAddress executionStatus finalityStatus } } } }`, "block.transactions", 8},
		{"block-at-timestamp?timestamp=1767225782", "", `{ blockAtTimestamp(chain: SN_MAIN, timestamp: "2026-01-01T00:03:02Z") { block { blockNumber blockHash timestampIso finalityStatus } previousBlock { blockNumber } nextBlock { blockHash } } }`, "blockAtTimestamp", 6},
		{"tx/" + strings.Trim(somewhere, `"`), "", `{ transaction(chain: SN_MAIN, hash: ` + somewhere + `) { chainId blockNumber blockHash timestampIso txIndex txHash txCursor txType version nonce fromAddress toAddress executionStatus finalityStatus
			receipt { executionStatus finalityStatus actualFeeRaw feeUnit l1Gas l1DataGas l2Gas revertReason } calldata
			accountCalls { to selector selectorName calldataLen decodedCalldata { label type kind rawValues displayValue } } accountCallCount signatureLen messages { ` + messageFacts + ` }
			logs: events(first: 100) { nodes { ` + eventFacts + ` } } } }`, "transaction", 30},
		{"events?topic0=" + "0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9&limit=50", "", `{ events(chain: SN_MAIN, filter: {keys: [["0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9"]]}, first: 50) {
			nodes { ` + eventFacts + ` } coverage { status reasonCode } eventDecodingDegraded rangeCoverage { complete } } }`, "events", 500},
		{"contract/" + bridgeAddress, "", contract(`chainId address classHash currentClassHash deploymentClassHash classHashSource classHashAsOfBlock classHashAsOfBlockHash classHashFinality
			deployedAtBlock deployedAtTx createdOnIso deployedByAddress isAccount isToken tokenKind alias metadataCompleteness`), "contract", 18},
		{"contract/" + bridgeAddress + "/events?limit=20", "", contract(`events(first: 20) { nodes { ` + eventFacts + ` } coverage { status reasonCode } eventDecodingDegraded }`), "contract.events", 20},
		{"contract/" + bridgeAddress + "/messages?limit=50", "", contract(`messages(first: 50) { nodes { ` + messageFacts + ` } coverage { status reasonCode } }`), "contract.messages", 16},
		{"contract/" + bridgeAddress + "/bridge-signals?limit=50", "", contract(`bridgeSignals(first: 50) { nodes { blockNumber timestampIso txIndex logIndex txHash direction protocol tokenAddress l1Token account amount eventName messageHash pairingConfidence } coverage { status reasonCode } }`), "contract.bridgeSignals", 14},
		{"contract/" + strk + "/read?selector=0x361458367e696363fbcc70777d07ebbd2394e89fd0adcaf147faccd1d294d60&block_tag=30", "", `{ contract(chain: SN_MAIN, address: "` + strk + `") { read(selector: "0x361458367e696363fbcc70777d07ebbd2394e89fd0adcaf147faccd1d294d60", blockTag: "30") { contractAddress selector blockTag blockNumber blockHash result } } }`, "contract.read", 6},
		{"messages?limit=100", "", `{ messages(chain: SN_MAIN, first: 100) { nodes { ` + messageFacts + ` } coverage { status reasonCode } } }`, "messages", 16},
		{"token/" + strk, "", token(`chainId tokenAddress symbol name decimals standard metadataUpdatedAtIso summaryCacheStatus summaryCacheUpdatedAtIso transferCount distinctFromCount distinctToCount latestTransferBlock totalSupplyRaw totalSupplyBlockNumber`), "token", 15},
		{"token/" + strk + "/transfers?limit=100", "", token(`transfers(first: 100) { nodes { ` + transferFacts + ` } coverage { status reasonCode } }`), "token.transfers", 1000},
		{"token/" + strk + "/total-supply?block_tag=30", "", token(`totalSupply(blockTag: "30") { blockTag blockNumber blockHash totalSupplyRaw }`), "token.totalSupply", 4},
		{"token/" + strk + "/balance-of/" + somebody + "?block_tag=30", "", token(`balanceOf(address: "` + somebody + `", blockTag: "30") { ownerAddress blockTag blockNumber blockHash balanceRaw }`), "token.balanceOf", 5},
		{"token/" + strk + "/controls", "", token(`controls { indexed reasonCode snapshot { supplyControl { status actor } transferControl { status actor } metadataAdmin { status actor } upgradeControl { status actor } evidence { kind blockNumber txHash } asOfBlock } }`), "token.controls", 11},
		{"token/" + strk + "/holders?limit=50", "", token(`holders(first: 50) { nodes { rank address balanceRaw lastUpdatedBlock } holderCount holderBalanceTotalRaw generationId asOfBlock asOfBlockHash rowDigest expiresAt completeness certification { status checkedAt reasonCode } }`), "token.holders", 20},
		{"token/" + strk + "/holders/screening", "", token(`holderScreening { generationId asOfBlock populationComplete certification { status reasonCode } items { rank address balanceRaw lastUpdatedBlock } }`), "token.holderScreening", 20},
		{"token/" + strk + "/holders/analytics", "", token(`holderAnalytics { generationId asOfBlock validatedAgainst top5 { balanceRaw shareBps } top10 { balanceRaw shareBps } top100 { balanceRaw shareBps } giniPpm nakamoto50Count holdersAbove1Percent tierDistribution { tier minShareBps count balanceRaw } }`), "token.holderAnalytics", 32},
		{"token/" + strk + "/markets/pools?limit=50", "", token(`pools(first: 50) { nodes { marketId marketKind protocolName poolAddress feeBps createdAtBlock evidence { kind factoryAddress eventName txHash logIndex poolClassHash } } coverage { status reasonCode } }`), "token.pools", 12},
		{"address/" + somebody + "/activity?limit=50", "", address(`activity(first: 50) { nodes { blockNumber timestampIso txIndex logIndex transferIndex txHash txCursor kind counterparty tokenAddress amount tokenId } coverage { status reasonCode } }`), "address.activity", 50},
		{"address/" + somebody + "/transactions?limit=50", "", address(`transactions(first: 50) { nodes { blockNumber timestampIso txIndex txHash kinds txType executionStatus finalityStatus fromAddress toAddress primaryMethod callCount transferCount } coverage { status reasonCode } }`), "address.transactions", 50},
		{"address/" + somebody + "/transfers?limit=50&direction=in", "", address(`transfers(first: 50, filter: {direction: IN}) { nodes { ` + transferFacts + ` } coverage { status reasonCode } }`), "address.transfers", 16},
		{"address/" + somebody + "/attribution", "", address(`attribution { known label confidence source protocol { name kind } }`), "address.attribution", 4},
		{"address/" + somebody + "/assets/discovery", "", address(`assets { nodes { tokenAddress evidence { tier source lastObservedBlock evidenceCountLowerBound } metadata { symbol name decimals standard } } coverage { declaredScope completeWithinScope globallyComplete reasonCodes coveredThroughBlock } }`), "address.assets", 20},
		{"address/summaries", `{"addresses":["` + somebody + `"]}`, address(`summary { found totalActivityCount activityCountExact latestActivityBlock classHash isAccount createdOnIso deployedAtTxHash deployedByAddress }`), "address.summary", 9},
		{"address/intelligence", `{"addresses":["` + somebody + `"]}`, address(`intelligence { found isDeployed label labelSource protocol { name kind } typeLabel classHash classLabel hasReceivedFunds coverage { status reasonCode } }`), "address.intelligence", 10},
		{"tx/previews", `{"hashes":[` + somewhere + `,"0x1"]}`, `{ items: transactionPreviews(chain: SN_MAIN, hashes: [` + somewhere + `, "0x1"]) { txHash found blockNumber timestampIso txIndex txType executionStatus finalityStatus fromAddress toAddress
			primaryMethod callCount transferCount tokenTransfers { ` + transferFacts + ` } tokenTransfersTruncated logCount } }`, "", 28},
		{"query/wallet-state", `{"ownerAddress":"` + somebody + `","mode":"verified_partial","scope":"discovered","limit":5,"blockPreference":"explicit","blockNumber":30}`,
			`{ walletState(chain: SN_MAIN, input: {ownerAddress: "` + somebody + `", mode: VERIFIED_PARTIAL, scope: DISCOVERED, limit: 5, blockPreference: EXPLICIT, blockNumber: 30}) {
			ownerAddress block { preference blockNumber blockHash finalityStatus } scope coverage { declaredScope completeWithinScope globallyComplete reasonCodes coveredThroughBlock } correctness
			items { tokenAddress balanceRaw status metadata { symbol name decimals standard } } } }`, "walletState", 15},
		{"search?q=28", "", `{ items: search(chain: SN_MAIN, query: "28") { kind label matched } }`, "", 3},
		{"status", "", `{ status(chain: SN_MAIN) { chainId headBlockNumber headBlockHash finalizedBlockNumber finalityDepth latestIndexedBlockNumber earliestIndexedBlockNumber indexedBlockSpan lagBlocks indexer { state reasonCode } } }`, "status", 9},
	} {
		here := f.askREST(t, q.path, q.body)
		a := f.ask(t, q.query, nil)
		var there any
		decoder := json.NewDecoder(strings.NewReader(string(a.body.Data)))
		decoder.UseNumber()
		if err := decoder.Decode(&there); err != nil || len(a.body.Errors) > 0 {
			t.Errorf("%s: %v %s", q.path, err, a.text)
			continue
		}
		if q.data != "" {
			there = at(there, q.data)
		}
		if strings.HasPrefix(q.path, "address/") && q.body != "" { // which REST asks for in batches
			here = here.(map[string]any)["items"].([]any)[0]
		}
		if logs, ok := here.(map[string]any)["logs"]; ok { // which are a list without a page
			here.(map[string]any)["logs"] = map[string]any{"items": logs}
		}
		if compared := agree(t, q.path, here, there); compared < q.least {
			t.Errorf("%s: only %d facts were compared instead of %d", q.path, compared, q.least)
		}
	}
}
