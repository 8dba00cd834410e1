package graph

import (
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// strk is a token of the everyday chain.
const strk = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"

// eventsWith returns the everyday events that match a filter, newest first.
func eventsWith(t *testing.T, wanted func(facts.Block, facts.Event) bool) (list []facts.Event) {
	t.Helper()
	for _, block := range repotest.Everyday(t) {
		for _, event := range block.Events {
			if wanted(block, event) {
				list = append(list, event)
			}
		}
	}
	slices.Reverse(list)
	return list
}

type eventsData struct {
	Nodes []struct {
		Address    starknet.Felt
		Keys, Data []starknet.Felt
	}
	PageInfo struct {
		HasNextPage bool
		EndCursor   *string
	}
	Coverage              struct{ Status string }
	EventDecodingDegraded bool
}

const eventsFields = `{ nodes { address keys data } pageInfo { hasNextPage endCursor } coverage { status reasonCode } eventDecodingDegraded rangeCoverage { complete } }`

func TestEventSearchFollowsTheRulesOfREST(t *testing.T) {
	t.Parallel()
	g := explore(t)
	transfer, token := starknet.Selector("Transfer"), starknet.MustFelt(strk)
	inBounds := func(b facts.Block) bool { return b.Header.Number >= 5 && b.Header.Number <= 50 }
	for name, test := range map[string]struct {
		query string
		want  func(facts.Block, facts.Event) bool
	}{
		"by selector": {`query($after: Cursor) { events(chain: SN_MAIN, filter: {keys: [["` + transfer.String() + `"]]}, first: 100, after: $after) ` + eventsFields + ` }`,
			func(_ facts.Block, e facts.Event) bool { return len(e.Keys) > 0 && e.Keys[0] == transfer }},
		"by address and bounds": {`query($after: Cursor) { events(chain: SN_MAIN, filter: {addresses: ["` + strk + `"], fromBlock: 5, toBlock: 50}, first: 30, after: $after) ` + eventsFields + ` }`,
			func(b facts.Block, e facts.Event) bool { return e.FromAddress == token && inBounds(b) }},
		"of a contract": {`query($after: Cursor) { contract(chain: SN_MAIN, address: "` + strk + `") { events(filter: {fromBlock: 5, toBlock: 50}, first: 30, after: $after) ` + eventsFields + ` } }`,
			func(b facts.Block, e facts.Event) bool { return e.FromAddress == token && inBounds(b) }},
		"of a contract by selector": {`query($after: Cursor) { contract(chain: SN_MAIN, address: "` + strk + `") { events(filter: {selectors: ["` + transfer.String() + `"]}, first: 30, after: $after) ` + eventsFields + ` } }`,
			func(_ facts.Block, e facts.Event) bool {
				return e.FromAddress == token && len(e.Keys) > 0 && e.Keys[0] == transfer
			}},
	} {
		want := eventsWith(t, test.want)
		var after any
		for seen := 0; ; {
			type data struct {
				Events   *eventsData
				Contract *struct{ Events *eventsData }
			}
			found := answer[data](t, g, test.query, map[string]any{"after": after})
			page := found.Events
			if found.Contract != nil {
				page = found.Contract.Events
			}
			for _, e := range page.Nodes {
				if seen < len(want) {
					same(t, name, []any{e.Address, e.Keys, e.Data}, []any{want[seen].FromAddress, want[seen].Keys, want[seen].Data})
				}
				seen++
			}
			if page.Coverage.Status != "EXACT" || page.EventDecodingDegraded {
				t.Errorf("%s: got %+v, want exact coverage and full decoding", name, page)
			}
			if !page.PageInfo.HasNextPage {
				same(t, "number of events "+name, seen, len(want))
				break
			}
			after = *page.PageInfo.EndCursor
		}
	}
	refusedWith(t, g, domain.CodeInvalidRequest, `{events(chain:SN_MAIN filter:{}){totalCount}}`, nil)
	refusedWith(t, g, domain.CodeInvalidRequest, `{events(chain:SN_MAIN filter:{keys:[[],["0x1"]]}){totalCount}}`, nil)
	refusedWith(t, g, domain.CodeInvalidRequest, `{events(chain:SN_MAIN filter:{keys:[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]}){totalCount}}`, nil)
	refusedWith(t, g, domain.CodeInvalidRequest, `{events(chain:SN_MAIN filter:{addresses:["0x1"] fromBlock:1 toBlock:20001}){totalCount}}`, nil)
}

func TestContractLinksToItsClassTokenAndDeployment(t *testing.T) {
	t.Parallel()
	g := explore(t)
	type data struct {
		Contract struct {
			Address, ClassHash, ClassHashSource, MetadataCompleteness string
			IsToken                                                   bool
			TokenKind                                                 string
			Class                                                     struct {
				ClassHash, Standard string
				Abi                 *string
				EventSchemas        []struct{ Name string }
				FunctionSchemas     []struct{ Name string }
				Contracts           struct {
					Nodes []struct {
						Address  string
						Contract struct{ Address string }
						Current  bool
					}
				}
			}
			Token struct {
				TokenAddress, Standard string
				Contract               struct{ ID string }
				TransferCount          int
				SummaryCacheStatus     string
			}
			Account    struct{ Address string }
			Deployment *struct{ TxHash string }
			ID         string
		}
		Token struct{ ID string }
		Class struct{ ID string }
	}
	found := answer[data](t, g, `query($a: Felt!) { contract(chain: SN_MAIN, address: $a) { id address classHash classHashSource metadataCompleteness isToken tokenKind
		class { classHash standard abi eventSchemas { name fields { name type source } } functionSchemas { name inputs { type } outputs { type } }
			contracts(first: 100) { nodes { address current contract { address } } } }
		token { tokenAddress standard contract { id } transferCount summaryCacheStatus } account { address } deployment { txHash } } }`, map[string]any{"a": strk}).Contract
	moved := 0
	for _, block := range repotest.Everyday(t) {
		for _, transfer := range block.Transfers {
			if transfer.Token.String() == strk {
				moved++
			}
		}
	}
	if found.Address != strk || found.Class.ClassHash != found.ClassHash || found.TokenKind != "ERC20" || !found.IsToken || found.Account.Address != strk {
		t.Errorf("got %+v, want the token contract %s with its class and account", found, strk)
	}
	if found.Token.TokenAddress != strk || found.Token.Contract.ID != found.ID || found.Token.TransferCount != moved || found.Token.SummaryCacheStatus != "COMPUTED" {
		t.Errorf("got %+v, want the token %s with %d transfers", found.Token, strk, moved)
	}
	if found.Class.Abi == nil || len(found.Class.EventSchemas) == 0 || len(found.Class.FunctionSchemas) == 0 {
		t.Errorf("got the class %+v, want its ABI and schemas", found.Class)
	}
	if !slices.ContainsFunc(found.Class.Contracts.Nodes, func(n struct {
		Address  string
		Contract struct{ Address string }
		Current  bool
	}) bool {
		return n.Address == strk && n.Contract.Address == strk && n.Current
	}) {
		t.Errorf("got the contracts %+v of the class, want %s among them", found.Class.Contracts, strk)
	}
	for _, query := range []string{`{contract(chain:SN_MAIN address:"0x1234567"){address}}`, `{class(chain:SN_MAIN hash:"0x1234567"){classHash}}`, `{token(chain:SN_MAIN address:"0x1234567"){symbol}}`} {
		refusedWith(t, g, domain.CodeNotFound, query, nil)
	}
}

func TestAddressListsItsActivity(t *testing.T) {
	t.Parallel()
	g := explore(t)
	block := repotest.Everyday(t)[40]
	owner := *block.Transactions[slices.IndexFunc(block.Transactions, func(tx facts.Transaction) bool { return tx.Sender != nil })].Sender
	sent, moved := 0, 0
	for _, b := range repotest.Everyday(t) {
		for _, a := range b.Activity {
			if a.Address == owner {
				sent++
			}
		}
		for _, m := range b.Transfers {
			if m.From == owner || m.To == owner {
				moved++
			}
		}
	}
	type data struct {
		Address struct {
			Address     string
			Label       *string
			Attribution struct{ Known bool }
			Contract    *struct{ Address string }
			Activity    struct {
				Nodes []struct {
					TxHash, Kind string
					Transaction  struct{ TxHash string }
				}
				Coverage struct{ Status string }
			}
			Transactions struct {
				Nodes []struct {
					TxHash      string
					Kinds       []string
					Transaction struct{ TxHash string }
				}
			}
			Transfers struct {
				Nodes []struct{ FromAddress, ToAddress string }
			}
		}
	}
	found := answer[data](t, g, `query($a: Felt!) { address(chain: SN_MAIN, address: $a) { address label attribution { known source } contract { address }
		activity(first: 100) { nodes { txHash kind transaction { txHash } } coverage { status } }
		transactions(first: 100) { nodes { txHash kinds transaction { txHash } } }
		transfers(filter: {direction: ANY}, first: 100) { nodes { fromAddress toAddress } } } }`, map[string]any{"a": owner.String()}).Address
	same(t, "number of transactions", len(found.Transactions.Nodes), min(sent, 100))
	same(t, "number of transfers", len(found.Transfers.Nodes), min(moved, 100))
	for _, item := range found.Activity.Nodes {
		same(t, "transaction of an item", item.Transaction.TxHash, item.TxHash)
	}
	for _, tx := range found.Transactions.Nodes {
		if tx.Transaction.TxHash != tx.TxHash || len(tx.Kinds) == 0 {
			t.Errorf("got %+v, want its transaction and kinds", tx)
		}
	}
	if found.Contract == nil || found.Contract.Address != owner.String() || len(found.Activity.Nodes) == 0 {
		t.Errorf("got %+v, want the contract %s and its activity", found, owner)
	}
	answer[map[string]any](t, g, `{address(chain:SN_MAIN address:"0x123456789"){label contract{address} activity{nodes{kind}}}}`, nil)
}

func TestMessagesAreListedAndFoundByID(t *testing.T) {
	t.Parallel()
	g := explore(t)
	type message struct {
		MessageID, MessageHash, Direction string
		Transaction                       struct{ TxHash string }
		Contract                          *struct {
			Messages struct{ Nodes []struct{ MessageID string } }
		}
	}
	type data struct {
		Messages struct{ Nodes []message }
		Message  message
	}
	all := 0
	for _, block := range repotest.Everyday(t) {
		all += len(block.Messages)
	}
	list := answer[data](t, g, `{messages(chain:SN_MAIN first:100){nodes{messageId messageHash direction transaction{txHash} contract{messages(first:100){nodes{messageId}}}}}}`, nil).Messages.Nodes
	same(t, "number of messages", len(list), min(all, 100))
	for _, m := range list[:min(5, len(list))] {
		again := answer[data](t, g, `query($id: String!) { message(chain: SN_MAIN, messageId: $id) { messageId messageHash } }`, map[string]any{"id": m.MessageID}).Message
		same(t, "message", again.MessageHash, m.MessageHash)
		only := answer[data](t, g, `query($h: Hash256!, $d: MessageDirection!) { messages(chain: SN_MAIN, filter: {messageHash: $h, direction: $d}) { nodes { messageId } } }`,
			map[string]any{"h": m.MessageHash, "d": m.Direction}).Messages.Nodes
		if !slices.ContainsFunc(only, func(o message) bool { return o.MessageID == m.MessageID }) {
			t.Errorf("got %v, want %s among them", only, m.MessageID)
		}
	}
	refusedWith(t, g, domain.CodeInvalidRequest, `{message(chain:SN_MAIN messageId:"nonsense"){messageId}}`, nil)
	refusedWith(t, g, domain.CodeNotFound, `{message(chain:SN_MAIN messageId:"0x1:l1_to_l2:0"){messageId}}`, nil)
}

func TestSearchHitLinksToItsObject(t *testing.T) {
	t.Parallel()
	g := explore(t)
	block := repotest.Everyday(t)[12]
	for query, want := range map[string]string{
		"12": "Block", block.Header.Hash.String(): "Block", block.Transactions[0].Hash.String(): "Transaction", strk: "Token",
	} {
		type data struct {
			Search []struct {
				Kind, Key string
				Node      *struct {
					Typename string `json:"__typename"`
					ID       string
				}
			}
		}
		hits := answer[data](t, g, `query($q: String!) { search(chain: SN_MAIN, query: $q) { kind key label matched node { __typename id } } }`, map[string]any{"q": query}).Search
		if len(hits) == 0 || hits[0].Node == nil || hits[0].Node.Typename != want {
			t.Errorf("%s: got %+v, want a %s first", query, hits, want)
		}
	}
	refusedWith(t, g, domain.CodeInvalidRequest, `{search(chain:SN_MAIN query:" "){kind}}`, nil)
}

func TestEveryNodeCanBeRefetchedByItsID(t *testing.T) {
	t.Parallel()
	g := explore(t)
	type identified struct{ ID string }
	type data struct {
		Block    struct{ ID string }
		Contract struct {
			ID           string
			Class, Token identified
			Account      identified
			Deployment   *identified
		}
		Messages struct{ Nodes []identified }
		Blocks   struct {
			Nodes []struct{ Transactions struct{ Nodes []identified } }
		}
	}
	found := answer[data](t, g, `query($a: Felt!) { block(chain: SN_MAIN) { id } contract(chain: SN_MAIN, address: $a) { id class { id } token { id } account { id } }
		messages(chain: SN_MAIN, first: 2) { nodes { id } } blocks(chain: SN_MAIN, first: 3) { nodes { transactions(first: 2) { nodes { id } } } } }`, map[string]any{"a": strk})
	ids := []string{found.Block.ID, found.Contract.ID, found.Contract.Class.ID, found.Contract.Token.ID, found.Contract.Account.ID}
	for _, m := range found.Messages.Nodes {
		ids = append(ids, m.ID)
	}
	for _, b := range found.Blocks.Nodes {
		for _, tx := range b.Transactions.Nodes {
			ids = append(ids, tx.ID)
		}
	}
	type nodes struct {
		Nodes []*struct {
			Typename string `json:"__typename"`
			ID       string
		}
	}
	again := answer[nodes](t, g, `query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }`, map[string]any{"ids": ids}).Nodes
	types := map[string]bool{}
	for i, node := range again {
		if node == nil || node.ID != ids[i] {
			t.Errorf("%s: got %v, want the node", ids[i], node)
			continue
		}
		types[node.Typename] = true
	}
	same(t, "number of types", len(types), 7)
}

func TestHostileIDIsRejected(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for code, ids := range map[domain.Code][]globalID{
		domain.CodeInvalidRequest: {
			{"Block", domain.Mainnet, "12"}, {"Block", domain.Mainnet, "latest"}, {"Block", domain.Mainnet, "0x00" + "1"}, {"Block", domain.Mainnet, ""},
			{"Transaction", domain.Mainnet, "0X1"}, {"Token", domain.Mainnet, "STRK"}, {"Event", domain.Mainnet, "0x1"}, {"Address", domain.Mainnet, "0x1' OR 1=1"},
			{"Message", domain.Mainnet, "0x1:l1_to_l2:01"}, {"Message", domain.Mainnet, "0x1:sideways:0"}, {"Message", domain.Mainnet, "0x1"},
			{"Contract", domain.Mainnet, "0x800000000000011000000000000000000000000000000000000000000000001"}, {"__Type", domain.Mainnet, "0x1"},
		},
		domain.CodeNotFound: {
			{"Block", domain.Mainnet, "0x1"}, {"Transaction", domain.Mainnet, "0x1"}, {"Token", domain.Mainnet, "0x1234567"}, {"Contract", domain.Mainnet, "0x1234567"},
			{"ContractClass", domain.Mainnet, "0x1"}, {"Message", domain.Mainnet, "0x1:l1_to_l2:0"},
		},
		domain.CodeUnsupportedChain: {{"Block", domain.Sepolia, "0x1"}, {"Address", domain.Sepolia, "0x1"}},
	} {
		for _, id := range ids {
			refusedWith(t, g, code, `query($id: ID!) { node(id: $id) { id } }`, map[string]any{"id": id.String()})
		}
	}
}
