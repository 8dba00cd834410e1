package chains

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// MessageItem is a cross-layer message.
type MessageItem struct {
	ID                string              `json:"id"`
	Direction         facts.Direction     `json:"direction"`
	BlockNumber       uint64              `json:"blockNumber"`
	TimestampIso      time.Time           `json:"timestampIso"`
	TxIndex           int                 `json:"txIndex"`
	MessageIndex      int                 `json:"messageIndex"`
	MessageHash       starknet.Hash256    `json:"messageHash"`
	FromAddress       starknet.Felt       `json:"fromAddress"`
	ToAddress         starknet.Felt       `json:"toAddress"`
	TxHash            starknet.Felt       `json:"txHash"`
	L1ContractAddress starknet.Felt       `json:"l1ContractAddress"`
	L2ContractAddress starknet.Felt       `json:"l2ContractAddress"`
	Nonce             *starknet.Felt      `json:"nonce"`
	Selector          *starknet.Felt      `json:"selector"`
	Payload           []starknet.Felt     `json:"payload"`
	Status            chain.MessageStatus `json:"status"`
	SourceTier        chain.Tier          `json:"sourceTier"`
}

func messageBody(m chain.Message) MessageItem {
	return MessageItem{
		ID: m.ID(), Direction: m.Direction, BlockNumber: m.Block, TimestampIso: m.Time, TxIndex: m.TxIndex,
		MessageIndex: m.Index, MessageHash: m.Hash, FromAddress: m.From, ToAddress: m.To, TxHash: m.TxHash,
		L1ContractAddress: m.L1Contract(), L2ContractAddress: m.Contract(), Nonce: m.Nonce, Selector: m.Selector,
		Payload: frame.EmptyIfNil(m.Payload), Status: m.Status, SourceTier: m.Tier,
	}
}

func (h Handlers) messages(ctx context.Context, c *frame.Call) (any, error) {
	page, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	list, coverage, err := h.Messages.All(ctx, c.Chain, messageFilter(c), page)
	if err != nil {
		return nil, err
	}
	return frame.RenderCoveredPage(c, list, coverage, messageBody), nil
}

func (h Handlers) contractMessages(ctx context.Context, c *frame.Call) (any, error) {
	page, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	lists, coverage, err := h.Messages.OfContracts(ctx, c.Chain, []starknet.Felt{c.Felt("address")}, messageFilter(c), page)
	if err != nil {
		return nil, err
	}
	return frame.RenderCoveredPage(c, lists[0], coverage, messageBody), nil
}

func messageFilter(c *frame.Call) chain.MessageFilter {
	filter := chain.MessageFilter{Direction: facts.Direction(c.Text("direction"))}
	if c.Given("txHash") {
		filter.Tx = new(c.Felt("txHash"))
	}
	if c.Given("messageHash") {
		hash, _ := starknet.ParseHash256(c.Text("messageHash")) // valid
		filter.Hash = &hash
	}
	return filter
}

// messageParams are the filters of message lists.
var messageParams = []frame.Param{
	{Name: "direction", In: frame.InQuery, Kind: frame.EnumKind, Enum: []string{string(facts.L1ToL2), string(facts.L2ToL1)}, About: "Only messages in this direction."},
	{Name: "txHash", In: frame.InQuery, Kind: frame.FeltKind, About: "Only messages of this L2 transaction."},
	{Name: "messageHash", In: frame.InQuery, Kind: frame.HashKind, About: "Only messages with this hash. Several messages from L2 to L1 can have the same hash."},
	frame.LimitParam(100, 100), frame.CursorParam,
}

// MessageOperations are the routes of messages.
func (h Handlers) MessageOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "listMessages", Method: http.MethodGet, Path: "/v1/{chain}/messages",
			Summary: "List cross-layer messages, newest first.",
			Params:  append([]frame.Param{frame.ChainParam}, messageParams...), Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "MessagePage",
			Proof:  []string{"TestMessagesMatchTheChain", "TestPagesContainEveryMessageOnce", "TestARepeatedMessageHashGivesSeveralRows"},
			Handle: h.messages,
		},
		{
			ID: "listContractMessages", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}/messages",
			Summary: "List the cross-layer messages of an L2 contract, newest first.",
			Params:  append([]frame.Param{frame.ChainParam, frame.ContractParam}, messageParams...), Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "MessagePage",
			Proof:  []string{"TestMessagesOfAContractMatchTheChain"},
			Handle: h.contractMessages,
		},
	}
}
