package chains

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// BlockItem is a block in a list.
type BlockItem struct {
	BlockNumber    uint64               `json:"blockNumber"`
	BlockHash      starknet.Felt        `json:"blockHash"`
	ParentHash     starknet.Felt        `json:"parentHash"`
	TimestampIso   time.Time            `json:"timestampIso"`
	TxCount        int                  `json:"txCount"`
	EventCount     int                  `json:"eventCount"`
	FinalityStatus chain.FinalityStatus `json:"finalityStatus"`
	SourceTier     chain.Tier           `json:"sourceTier"`
	Verification   facts.Verification   `json:"verification"`
}

func blockItemBody(b *chain.Block) BlockItem {
	return BlockItem{
		BlockNumber: b.Number, BlockHash: b.Hash, ParentHash: b.ParentHash, TimestampIso: b.Time(),
		TxCount: b.Transactions, EventCount: b.Events, FinalityStatus: b.Finality, SourceTier: b.Tier,
		Verification: b.Verification,
	}
}

// BlockBody is a block with its first transactions.
type BlockBody struct {
	ChainID domain.Chain `json:"chainId"`
	BlockItem
	StateRoot              *starknet.Felt     `json:"stateRoot"`
	SequencerAddress       *starknet.Felt     `json:"sequencerAddress"`
	L1DataAvailabilityMode *starknet.L1DAMode `json:"l1DataAvailabilityMode"`
	StarknetVersion        *string            `json:"starknetVersion"`
	L1GasPrice             *GasPrice          `json:"l1GasPrice"`
	L2GasPrice             *GasPrice          `json:"l2GasPrice"`
	L1DataGasPrice         *GasPrice          `json:"l1DataGasPrice"`
	Transactions           []TxItem           `json:"transactions"`
}

// GasPrice is the price of one unit of gas.
type GasPrice struct {
	PriceInWei *string `json:"priceInWei"`
	PriceInFri *string `json:"priceInFri"`
}

func priceBody(price *chain.GasPrice) *GasPrice {
	if price == nil {
		return nil
	}
	return &GasPrice{PriceInWei: frame.DecimalOrNull(price.Wei), PriceInFri: frame.DecimalOrNull(price.Fri)}
}

// decimal renders an amount that is stored as a felt.
func decimal(f starknet.Felt) string { return starknet.Uint256(f).String() }

// TxItem is a transaction in a list.
type TxItem struct {
	TxHash          starknet.Felt            `json:"txHash"`
	TxIndex         int                      `json:"txIndex"`
	TxCursor        string                   `json:"txCursor"`
	TxType          starknet.TransactionType `json:"txType"`
	FromAddress     *starknet.Felt           `json:"fromAddress"`
	ToAddress       *starknet.Felt           `json:"toAddress"`
	ExecutionStatus starknet.ExecutionStatus `json:"executionStatus"`
	FinalityStatus  chain.FinalityStatus     `json:"finalityStatus"`
}

func txItemBody(line chain.TxLine) TxItem {
	return TxItem{
		TxHash: line.Hash, TxIndex: line.Place.Tx, TxCursor: line.Place.Cursor(), TxType: line.Type,
		FromAddress: line.Sender, ToAddress: line.Contract, ExecutionStatus: chain.Execution(line.Reverted), FinalityStatus: line.Finality,
	}
}

func (h Handlers) blocks(ctx context.Context, c *frame.Call) (any, error) {
	request, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	page, coverage, err := h.Blocks.List(ctx, c.Chain, chain.BlockFilter{}, request)
	if err != nil {
		return nil, err
	}
	return frame.RenderCoveredPage(c, page, coverage, blockItemBody), nil
}

func (h Handlers) block(ctx context.Context, c *frame.Call) (any, error) {
	id, err := chain.ParseBlockID(c.Text(blockParam.Name), chain.Latest)
	if err != nil {
		return nil, err
	}
	block, page, err := h.Transactions.OfBlock(ctx, c.Chain, id, domain.PageRequest{Limit: c.Int("tx_limit")})
	if err != nil {
		return nil, err
	}
	body := BlockBody{
		ChainID: c.Chain, BlockItem: blockItemBody(block), StateRoot: &block.StateRoot, SequencerAddress: block.KnownSequencer(),
		L1DataAvailabilityMode: frame.NullIfEmpty(block.L1DAMode), StarknetVersion: frame.NullIfEmpty(block.Version),
		L1GasPrice: priceBody(block.L1GasPrice()), L2GasPrice: priceBody(block.L2GasPrice()), L1DataGasPrice: priceBody(block.L1DataGasPrice()),
		Transactions: make([]TxItem, len(page.Items)),
	}
	for i, line := range page.Items {
		body.Transactions[i] = txItemBody(line)
	}
	return body, nil
}

func (h Handlers) blockTxs(ctx context.Context, c *frame.Call) (any, error) {
	id, err := chain.ParseBlockID(c.Text(blockParam.Name), chain.Latest)
	if err != nil {
		return nil, err
	}
	request, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	_, page, err := h.Transactions.OfBlock(ctx, c.Chain, id, request)
	if err != nil {
		return nil, err
	}
	return frame.RenderCoveredPage(c, page.Page, page.Coverage, txItemBody), nil
}

// blockParam is the block of a path.
var blockParam = frame.Param{
	Name: "number_or_hash", In: frame.InPath, Kind: frame.BlockKind, Required: true,
	About: "Block number, block hash, or `latest`.", Example: "28",
}

// BlockOperations are the routes of blocks.
func (h Handlers) BlockOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "listBlocks", Method: http.MethodGet, Path: "/v1/{chain}/blocks",
			Summary: "List blocks, newest first.",
			Params:  []frame.Param{frame.ChainParam, frame.LimitParam(25, 200), frame.CursorParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "BlockList",
			Proof: []string{"TestBlocksAreListedNewestFirst", "TestPagesOfBlocksHaveNoDuplicatesOrGaps"}, Handle: h.blocks,
		},
		{
			ID: "getBlock", Method: http.MethodGet, Path: "/v1/{chain}/block/{number_or_hash}",
			Summary: "Get a block with its first transactions.",
			Params: []frame.Param{frame.ChainParam, blockParam, {
				Name: "tx_limit", In: frame.InQuery, Kind: frame.IntegerKind, Min: 1, Max: 200, Default: "50",
				About: "Maximum number of transactions to return.",
			}},
			Permission: account.Read, Class: frame.Light, Cert: frame.Certified, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Block", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{"TestABlockIsFoundByNumberHashAndLatest", "TestBlockMatchesTheChain"}, Handle: h.block,
		},
		{
			ID: "listBlockTransactions", Method: http.MethodGet, Path: "/v1/{chain}/block/{number_or_hash}/txs",
			Summary: "List the transactions of a block.",
			Params:  []frame.Param{frame.ChainParam, blockParam, frame.LimitParam(25, 100), frame.CursorParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "BlockTransactionList", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{"TestPagesOfABlocksTransactionsHaveNoDuplicatesOrGaps"}, Handle: h.blockTxs,
		},
		h.blockAtTimestampOperation(),
	}
}
