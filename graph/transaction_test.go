package graph

import (
	"fmt"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// answerTime writes Unix seconds as the schema does.
func answerTime(seconds uint64) string {
	return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339)
}

type transactionData struct {
	ID, TxHash, BlockHash, TimestampIso, TxType, ExecutionStatus string
	BlockNumber, TxIndex, Version, SignatureLen                  int
	FromAddress, ToAddress, Nonce                                *starknet.Felt
	Calldata, Signature, ConstructorCalldata                     []starknet.Felt
	MaxFeeRaw, TipRaw                                            *string
	ClassHash, ContractAddress                                   *starknet.Felt
	ResourceBounds                                               *struct {
		L2Gas struct{ MaxAmountRaw, MaxPricePerUnitRaw string }
	}
	Receipt                 struct{ ActualFeeRaw, FeeUnit, L2Gas string }
	LogCount, TransferCount int
	AccountCalls            []struct{ To, Selector starknet.Felt }
	AccountCallCount        *int
	Sender                  *struct{ Address starknet.Felt }
	Block                   struct{ BlockHash string }
	Events                  struct {
		Nodes []struct {
			LogIndex       int
			Address        starknet.Felt
			Keys, Data     []starknet.Felt
			TxHash         string
			Transaction    struct{ ID string }
			Contract       struct{ Address starknet.Felt }
			EventName      *string
			DecodedFields  []struct{ Label string }
			DecodingStatus string
		}
		TotalCount int
	}
	Transfers struct {
		Nodes []struct {
			LogIndex, TransferIndex              int
			TokenAddress, FromAddress, ToAddress starknet.Felt
			Amount, TokenID                      *string
			From, To                             struct{ Address starknet.Felt }
			Token                                struct{ TokenAddress starknet.Felt }
		}
		TotalCount int
	}
	Messages []struct {
		MessageID, MessageHash string
		Payload                []starknet.Felt
		Contract               *struct{ Address starknet.Felt }
	}
}

const transactionFields = `id txHash blockHash blockNumber timestampIso txIndex txType executionStatus version signatureLen fromAddress toAddress nonce calldata signature constructorCalldata
	maxFeeRaw tipRaw classHash contractAddress resourceBounds { l2Gas { maxAmountRaw maxPricePerUnitRaw } }
	receipt { actualFeeRaw feeUnit l2Gas } logCount transferCount accountCalls { to selector } accountCallCount sender { address } block { blockHash }
	events(first: 100) { totalCount nodes { logIndex address keys data txHash eventName decodingStatus decodedFields { label } transaction { id } contract { address } } }
	transfers(first: 100) { totalCount nodes { logIndex transferIndex tokenAddress fromAddress toAddress amount tokenId from { address } to { address } token { tokenAddress } } }
	messages { messageId messageHash payload contract { address } }`

func TestTransactionsOfBlocksMatchTheChain(t *testing.T) {
	t.Parallel()
	g := explore(t)
	type data struct {
		Block struct {
			Transactions struct {
				Nodes      []transactionData
				TotalCount int
			}
		}
	}
	for _, block := range repotest.Everyday(t) {
		got := answer[data](t, g, `query($n: Int!) { block(chain: SN_MAIN, number: $n) { transactions(first: 50) { totalCount nodes {`+transactionFields+`} } } }`,
			map[string]any{"n": block.Header.Number}).Block.Transactions
		if len(got.Nodes) != len(block.Transactions) || got.TotalCount != len(block.Transactions) {
			t.Fatalf("block %d: got %d transactions and the total %d, want %d", block.Header.Number, len(got.Nodes), got.TotalCount, len(block.Transactions))
		}
		for i := range got.Nodes {
			checkTransaction(t, &got.Nodes[i], &block, i)
		}
	}
}

// checkTransaction compares a transaction with the facts of its block.
func checkTransaction(t *testing.T, got *transactionData, block *facts.Block, index int) {
	t.Helper()
	tx := &block.Transactions[index]
	same(t, "place", []any{got.BlockNumber, got.BlockHash, got.TxIndex, got.TimestampIso}, []any{block.Header.Number, block.Header.Hash, index, answerTime(block.Header.Timestamp)})
	same(t, "hash", got.TxHash, tx.Hash)
	same(t, "kind", []any{got.TxType, got.Version, got.SignatureLen}, []any{tx.Type, tx.Version, len(tx.Signature)})
	same(t, "addresses", []any{text(got.FromAddress), text(got.ToAddress), text(got.Nonce)}, []any{text(tx.Sender), text(tx.Contract), text(tx.Nonce)})
	same(t, "calldata", got.Calldata, tx.Calldata)
	same(t, "signature", got.Signature, tx.Signature)
	same(t, "deployment", []any{text(got.ClassHash), text(got.ContractAddress), got.ConstructorCalldata}, []any{text(tx.Class), text(tx.DeployedContract()), tx.ConstructorCalldata()})
	if same(t, "maximum fee", number(got.MaxFeeRaw), text((*starknet.Uint256)(tx.MaxFee))); tx.Terms != nil {
		bound := tx.Terms.Bounds.L2Gas
		same(t, "terms", []any{number(got.TipRaw), *got.ResourceBounds}, []any{tx.Terms.Tip, fmt.Sprintf("{{%d %d}}", uint64(bound.MaxAmount), bound.MaxPricePerUnit.Lo)})
	} else if got.TipRaw != nil || got.ResourceBounds != nil {
		t.Errorf("%s of version %d has the terms %v, %v; want none", tx.Hash, tx.Version, got.TipRaw, got.ResourceBounds)
	}
	same(t, "receipt", got.Receipt, fmt.Sprintf("{%s %s %d}", starknet.Uint256(tx.Fee), tx.FeeUnit, tx.Resources.L2Gas))
	same(t, "block", got.Block.BlockHash, block.Header.Hash)
	if calls, ok := facts.Calls(tx); ok != (got.AccountCalls != nil) || len(calls) != len(got.AccountCalls) || ok && *got.AccountCallCount != len(calls) {
		t.Errorf("%s: got %d calls, want %d", tx.Hash, len(got.AccountCalls), len(calls))
	}
	n := 0
	for _, event := range block.Events {
		if event.TxIndex != index {
			continue
		}
		if n++; n > len(got.Events.Nodes) {
			continue // on the next page
		}
		e := got.Events.Nodes[n-1]
		same(t, "event", []any{e.LogIndex, e.Address, e.Keys, e.Data, e.TxHash}, []any{event.LogIndex, event.FromAddress, event.Keys, event.Data, tx.Hash})
		same(t, "edges of the event", []any{e.Contract.Address, e.Transaction.ID}, []any{event.FromAddress, got.ID})
		if (e.DecodingStatus == "DECODED") != (e.DecodedFields != nil) {
			t.Errorf("got an event %s with the fields %v, want fields only if DECODED", e.DecodingStatus, e.DecodedFields)
		}
	}
	same(t, "number of events", []int{len(got.Events.Nodes), got.Events.TotalCount, got.LogCount}, []int{min(n, 100), n, n})
	n = 0
	for _, moved := range block.Transfers {
		if moved.TxIndex != index {
			continue
		}
		if n++; n > len(got.Transfers.Nodes) {
			continue // on the next page
		}
		m := got.Transfers.Nodes[n-1]
		same(t, "transfer", []any{m.LogIndex, m.TransferIndex, m.TokenAddress, m.FromAddress, m.ToAddress}, []any{moved.LogIndex, moved.Index, moved.Token, moved.From, moved.To})
		same(t, "amounts", []any{number(m.Amount), number(m.TokenID)}, []any{text(moved.Amount), text(moved.TokenID)})
		same(t, "edges of the transfer", []any{m.From.Address, m.To.Address, m.Token.TokenAddress}, []any{moved.From, moved.To, moved.Token})
	}
	same(t, "number of transfers", []int{len(got.Transfers.Nodes), got.Transfers.TotalCount, got.TransferCount}, []int{min(n, 100), n, n})
	n = 0
	for _, message := range block.Messages {
		if message.TxIndex == index {
			same(t, "message", []any{got.Messages[n].MessageHash, got.Messages[n].Payload}, []any{message.Hash, message.Payload})
			n++
		}
	}
	same(t, "number of messages", len(got.Messages), n)
}

// text formats a value that may be nil.
func text[T fmt.Stringer](value *T) string {
	if value == nil {
		return "nil"
	}
	return (*value).String()
}

func number(value *string) string {
	if value == nil {
		return "nil"
	}
	return *value
}

func TestTransactionIsFoundByItsHash(t *testing.T) {
	t.Parallel()
	g := explore(t)
	block := repotest.Everyday(t)[33]
	type data struct{ Transaction transactionData }
	for i, tx := range block.Transactions {
		got := answer[data](t, g, `query($h: Felt!) { transaction(chain: SN_MAIN, hash: $h) {`+transactionFields+`} }`, map[string]any{"h": tx.Hash.String()})
		checkTransaction(t, &got.Transaction, &block, i)
	}
	refusedWith(t, g, domain.CodeNotFound, `{transaction(chain:SN_MAIN hash:"0x1"){txHash}}`, nil)
}

// pageData is a page of any list of events or transfers.
type pageData struct {
	Edges []struct {
		Cursor string
		Node   struct{ LogIndex, TransferIndex int }
	}
	PageInfo struct {
		HasNextPage bool
		EndCursor   *string
	}
}

func TestListsOfATransactionArePagedItemByItem(t *testing.T) {
	t.Parallel()
	g := explore(t)
	block := repotest.Everyday(t)[30]
	for list, count := range map[string]func(tx int) int{
		"events": func(tx int) (n int) {
			for _, e := range block.Events {
				if e.TxIndex == tx {
					n++
				}
			}
			return n
		},
		"transfers": func(tx int) (n int) {
			for _, e := range block.Transfers {
				if e.TxIndex == tx {
					n++
				}
			}
			return n
		},
	} {
		fields := "logIndex"
		if list == "transfers" {
			fields += " transferIndex"
		}
		type data struct{ Transaction map[string]pageData }
		for i, tx := range block.Transactions {
			seen, after := 0, any(nil)
			for {
				page := answer[data](t, g, `query($h: Felt!, $after: Cursor) { transaction(chain: SN_MAIN, hash: $h) { `+list+`(first: 1, after: $after) {
					edges { cursor node { `+fields+` } } pageInfo { hasNextPage endCursor } } } }`, map[string]any{"h": tx.Hash.String(), "after": after}).Transaction[list]
				seen += len(page.Edges)
				if len(page.Edges) == 1 && page.Edges[0].Cursor != *page.PageInfo.EndCursor {
					t.Errorf("got the end cursor %s, want %s", *page.PageInfo.EndCursor, page.Edges[0].Cursor)
				}
				if !page.PageInfo.HasNextPage {
					break
				}
				after = *page.PageInfo.EndCursor
			}
			same(t, list, seen, count(i))
		}
	}
}

func TestCursorIsBoundToItsParent(t *testing.T) {
	t.Parallel()
	g := explore(t)
	type data struct {
		Blocks struct {
			Nodes []struct {
				BlockHash    string
				Transactions struct{ PageInfo struct{ EndCursor *string } }
			}
		}
	}
	blocks := answer[data](t, g, `{blocks(chain:SN_MAIN first:2){nodes{blockHash transactions(first:1){pageInfo{endCursor}}}}}`, nil).Blocks.Nodes
	const query = `query($h: Felt!, $after: Cursor) { block(chain: SN_MAIN, hash: $h) { transactions(after: $after) { nodes { txIndex } } } }`
	e := refusedWith(t, g, domain.CodeInvalidRequest, query, map[string]any{"h": blocks[0].BlockHash, "after": *blocks[1].Transactions.PageInfo.EndCursor})
	same(t, "page of the error", e.Extensions.DocSlug, "errors/invalid-cursor")
	answer[map[string]any](t, g, query, map[string]any{"h": blocks[1].BlockHash, "after": *blocks[1].Transactions.PageInfo.EndCursor})
}
