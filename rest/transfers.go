package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

type transferRow struct {
	BlockNumber   uint64         `json:"blockNumber"`
	TimestampIso  time.Time      `json:"timestampIso"`
	TxIndex       int            `json:"txIndex"`
	LogIndex      int            `json:"logIndex"`
	TransferIndex int            `json:"transferIndex"`
	TxHash        starknet.Felt  `json:"txHash"`
	TokenAddress  starknet.Felt  `json:"tokenAddress"`
	FromAddress   *starknet.Felt `json:"fromAddress"`
	ToAddress     *starknet.Felt `json:"toAddress"`
	Amount        *string        `json:"amount"`
	TokenID       *string        `json:"tokenId"`
	Standard      facts.Standard `json:"standard"`
	TokenSymbol   *string        `json:"tokenSymbol"`
	TokenName     *string        `json:"tokenName"`
	TokenDecimals *uint8         `json:"tokenDecimals"`
	SourceTier    chain.Tier     `json:"sourceTier"`
}

// transferBody renders a transfer. What is minted comes from address zero, and
// what is burned goes there.
func transferBody(t token.Transfer) transferRow {
	return transferRow{
		BlockNumber: t.Block, TimestampIso: t.Time, TxIndex: t.Tx, LogIndex: t.Log, TransferIndex: t.Index, TxHash: t.TxHash,
		TokenAddress: t.Token, FromAddress: &t.From, ToAddress: &t.To,
		Amount: decimalOrNull(t.Amount), TokenID: decimalOrNull(t.TokenID), Standard: t.Standard,
		TokenSymbol: t.Metadata.Symbol, TokenName: t.Metadata.Name, TokenDecimals: t.Metadata.Decimals, SourceTier: t.Tier,
	}
}

// decimalOrNull prints a number that may be unknown.
func decimalOrNull(n *starknet.Uint256) *string {
	if n == nil {
		return nil
	}
	return new(n.String())
}

func (s *server) tokenTransfers(ctx context.Context, c *Call) (any, error) {
	page, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	tokens := []starknet.Felt{c.Felt("token")}
	lists, err := s.Transfers.OfTokens(ctx, c.Chain, tokens, c.Felts("address"), page)
	if err != nil {
		return nil, err
	}
	if len(lists[0].Items) == 0 { // perhaps because it is no token
		known, err := s.Tokens.Of(ctx, c.Chain, tokens)
		if err != nil {
			return nil, err
		}
		if known[0] == nil {
			return nil, token.Unknown(tokens[0])
		}
	}
	return s.transferPage(ctx, c, lists[0], nil, nil)
}

func (s *server) addressTransfers(ctx context.Context, c *Call) (any, error) {
	page, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	filter := token.AddressFilter{
		Direction: token.Direction(c.Text("direction")), Tokens: c.Felts("token"), From: c.Number("from_block"), To: c.Number("to_block"),
	}
	lists, err := s.Transfers.OfAddresses(ctx, c.Chain, []starknet.Felt{c.Felt("address")}, filter, page)
	if err != nil {
		return nil, err
	}
	return s.transferPage(ctx, c, lists[0], filter.From, filter.To)
}

// transferPage renders a page of a list of a range of blocks.
func (s *server) transferPage(ctx context.Context, c *Call, page domain.Page[token.Transfer], from, to *uint64) (any, error) {
	coverage, err := s.Transfers.Coverage(ctx, c.Chain, from, to)
	if err != nil {
		return nil, err
	}
	return coveredList[transferRow]{paged(s, c, page, transferBody), wireCoverage(coverage)}, nil
}

// maxFilter is how many values a repeatable filter of transfers takes.
const maxFilter = 128

// fromBlockParam and toBlockParam bound a list.
var (
	fromBlockParam = Param{Name: "from_block", In: InQuery, Kind: IntegerKind, Max: maxBlock, About: "The oldest block, itself included."}
	toBlockParam   = Param{Name: "to_block", In: InQuery, Kind: IntegerKind, Max: maxBlock, About: "The newest block, itself included."}
)

// maxBlock is the largest block number that a JSON integer holds exactly.
const maxBlock = 1<<53 - 1

func (s *server) transferOperations() []Operation {
	return []Operation{
		{
			ID: "listTokenTransfers", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/transfers",
			Summary: "Transfers of a token, newest first",
			Params: []Param{chainParam, tokenParam,
				{Name: "address", In: InQuery, Kind: FeltKind, Repeatable: true, MaxItems: maxFilter, About: "Only transfers that one of these sent or received."},
				limitParam(25, 100), cursorParam},
			Permission: account.Read, Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TransferPage", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{"TestTransfersOfATokenAreThoseOfTheChain", "TestAPageWalkYieldsEveryTransferOnce",
				"TestATransferBetweenTwoMatchingAddressesIsListedOnce", "TestAnAddressWithoutATokenIsNotFound"},
			Handle: s.tokenTransfers,
		},
		{
			ID: "listAddressTransfers", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/transfers",
			Summary: "Transfers that an address sent or received, newest first",
			Params: []Param{chainParam, ownerParam,
				{Name: "direction", In: InQuery, Kind: EnumKind, Enum: []string{string(token.AnyDirection), string(token.Incoming), string(token.Outgoing)},
					Default: string(token.AnyDirection), About: "Only transfers that go this way. What an address sent to itself goes both ways, and is listed once."},
				{Name: "token", In: InQuery, Kind: FeltKind, Repeatable: true, MaxItems: maxFilter, About: "Only transfers of these tokens."},
				fromBlockParam, toBlockParam, limitParam(25, 100), cursorParam},
			Permission: account.Read, Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TransferPage",
			Proof: []string{"TestTransfersOfAnAddressAreFilteredBeforePaging", "TestAPageWalkYieldsEveryTransferOnce",
				"TestAnyDirectionListsASelfTransferOnce", "TestARangeOfBlocksThatIsUpsideDownIsRefused"},
			Handle: s.addressTransfers,
		},
	}
}
