package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// messageItem is a message between the layers.
type messageItem struct {
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

func messageBody(m chain.Message) messageItem {
	return messageItem{
		ID: m.ID(), Direction: m.Direction, BlockNumber: m.Block, TimestampIso: m.Time, TxIndex: m.TxIndex,
		MessageIndex: m.Index, MessageHash: m.Hash, FromAddress: m.From, ToAddress: m.To, TxHash: m.TxHash,
		L1ContractAddress: m.L1Contract(), L2ContractAddress: m.Contract(), Nonce: m.Nonce, Selector: m.Selector,
		Payload: listOrEmpty(m.Payload), Status: m.Status, SourceTier: m.Tier,
	}
}

func (s *server) messages(ctx context.Context, c *Call) (any, error) {
	page, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	list, coverage, err := s.Messages.All(ctx, c.Chain, messageFilter(c), page)
	if err != nil {
		return nil, err
	}
	return coveredList[messageItem]{paged(s, c, list, messageBody), wireCoverage(coverage)}, nil
}

func (s *server) contractMessages(ctx context.Context, c *Call) (any, error) {
	page, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	lists, coverage, err := s.Messages.OfContracts(ctx, c.Chain, []starknet.Felt{c.Felt("address")}, messageFilter(c), page)
	if err != nil {
		return nil, err
	}
	return coveredList[messageItem]{paged(s, c, lists[0], messageBody), wireCoverage(coverage)}, nil
}

func messageFilter(c *Call) chain.MessageFilter {
	filter := chain.MessageFilter{Direction: facts.Direction(c.Text("direction"))}
	if c.Given("txHash") {
		filter.Tx = new(c.Felt("txHash"))
	}
	if c.Given("messageHash") {
		hash, _ := starknet.ParseHash256(c.Text("messageHash")) // it was checked
		filter.Hash = &hash
	}
	return filter
}

// messageParams select messages.
var messageParams = []Param{
	{Name: "direction", In: InQuery, Kind: EnumKind, Enum: []string{string(facts.L1ToL2), string(facts.L2ToL1)}, About: "Only messages that go this way."},
	{Name: "txHash", In: InQuery, Kind: FeltKind, About: "Only messages of this transaction on L2."},
	{Name: "messageHash", In: InQuery, Kind: HashKind, About: "Only messages with this hash. From L2 to L1 a hash can occur many times."},
	limitParam(100, 100), cursorParam,
}

// contractParam is the contract that a path names. The example is the bridge
// of STRK.
var contractParam = Param{
	Name: "address", In: InPath, Kind: FeltKind, Required: true, About: "The contract's address.",
	Example: "0x594c1582459ea03f77deaf9eb7e3917d6994a03c13405ba42867f83d85f085d",
}

func (s *server) messageOperations() []Operation {
	return []Operation{
		{
			ID: "listMessages", Method: http.MethodGet, Path: "/v1/{chain}/messages",
			Summary: "Messages between the layers, newest first",
			Params:  append([]Param{chainParam}, messageParams...), Permission: account.Read,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "MessagePage",
			Proof:  []string{"TestMessagesAreThoseOfTheChain", "TestAPageWalkYieldsEveryMessageOnce", "TestARepeatedMessageHashGivesSeveralRows"},
			Handle: s.messages,
		},
		{
			ID: "listContractMessages", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}/messages",
			Summary: "Messages that a contract on L2 handled or sent, newest first",
			Params:  append([]Param{chainParam, contractParam}, messageParams...), Permission: account.Read,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "MessagePage",
			Proof:  []string{"TestMessagesOfAContractAreThoseOfTheChain"},
			Handle: s.contractMessages,
		},
	}
}
