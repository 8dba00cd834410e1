package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// blockItem is a block in a list.
type blockItem struct {
	BlockNumber    uint64               `json:"blockNumber"`
	BlockHash      starknet.Felt        `json:"blockHash"`
	ParentHash     starknet.Felt        `json:"parentHash"`
	TimestampIso   time.Time            `json:"timestampIso"`
	TxCount        int                  `json:"txCount"`
	EventCount     int                  `json:"eventCount"`
	FinalityStatus chain.FinalityStatus `json:"finalityStatus"`
	SourceTier     chain.Tier           `json:"sourceTier"`
}

func blockItemBody(b *chain.Block) blockItem {
	return blockItem{
		BlockNumber: b.Number, BlockHash: b.Hash, ParentHash: b.ParentHash, TimestampIso: b.Time(),
		TxCount: b.Transactions, EventCount: b.Events, FinalityStatus: b.Finality, SourceTier: b.Tier,
	}
}

type blockBody struct {
	ChainID domain.Chain `json:"chainId"`
	blockItem
	StateRoot              *starknet.Felt     `json:"stateRoot"`
	SequencerAddress       *starknet.Felt     `json:"sequencerAddress"`
	L1DataAvailabilityMode *starknet.L1DAMode `json:"l1DataAvailabilityMode"`
	StarknetVersion        *string            `json:"starknetVersion"`
	L1GasPrice             *gasPrice          `json:"l1GasPrice"`
	L2GasPrice             *gasPrice          `json:"l2GasPrice"`
	L1DataGasPrice         *gasPrice          `json:"l1DataGasPrice"`
	Transactions           []txItem           `json:"transactions"`
}

// gasPrice is what a unit of gas cost.
type gasPrice struct {
	PriceInWei *string `json:"priceInWei"`
	PriceInFri *string `json:"priceInFri"`
}

// priceBody renders a price. The oldest blocks have none of some gas or in
// some unit, which a node says as zero: nothing was ever for free.
func priceBody(p starknet.ResourcePrice) *gasPrice {
	if p.PriceInWei.IsZero() && p.PriceInFri.IsZero() {
		return nil
	}
	return &gasPrice{PriceInWei: decimalUnlessZero(p.PriceInWei), PriceInFri: decimalUnlessZero(p.PriceInFri)}
}

func decimalUnlessZero(f starknet.Felt) *string {
	if f.IsZero() {
		return nil
	}
	return new(decimal(f))
}

// decimal prints a felt that is an amount.
func decimal(f starknet.Felt) string { return starknet.Uint256(f).String() }

// feltUnlessZero is nil for zero where that means that nothing was said.
func feltUnlessZero(f starknet.Felt) *starknet.Felt {
	if f.IsZero() {
		return nil
	}
	return &f
}

// txItem is a transaction in a list.
type txItem struct {
	TxHash          starknet.Felt            `json:"txHash"`
	TxIndex         int                      `json:"txIndex"`
	TxCursor        string                   `json:"txCursor"`
	TxType          starknet.TransactionType `json:"txType"`
	FromAddress     *starknet.Felt           `json:"fromAddress"`
	ToAddress       *starknet.Felt           `json:"toAddress"`
	ExecutionStatus starknet.ExecutionStatus `json:"executionStatus"`
	FinalityStatus  chain.FinalityStatus     `json:"finalityStatus"`
}

func txItemBody(line chain.TxLine) txItem {
	return txItem{
		TxHash: line.Hash, TxIndex: line.Place.Tx, TxCursor: line.Place.Cursor(), TxType: line.Type,
		FromAddress: line.Sender, ToAddress: line.Contract, ExecutionStatus: chain.Execution(line.Reverted), FinalityStatus: line.Finality,
	}
}

func (s *server) blocks(ctx context.Context, c *Call) (any, error) {
	request, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	page, coverage, err := s.Blocks.List(ctx, c.Chain, chain.BlockFilter{}, request)
	if err != nil {
		return nil, err
	}
	return coveredList[blockItem]{paged(s, c, page, blockItemBody), wireCoverage(coverage)}, nil
}

func (s *server) block(ctx context.Context, c *Call) (any, error) {
	id, err := chain.ParseBlockID(c.Text(blockParam.Name), chain.Latest)
	if err != nil {
		return nil, err
	}
	block, page, err := s.Transactions.OfBlock(ctx, c.Chain, id, domain.PageRequest{Limit: c.Int("tx_limit")})
	if err != nil {
		return nil, err
	}
	body := blockBody{
		ChainID: c.Chain, blockItem: blockItemBody(block), StateRoot: &block.StateRoot, SequencerAddress: feltUnlessZero(block.Sequencer),
		L1DataAvailabilityMode: wordOrNull(block.L1DAMode), StarknetVersion: wordOrNull(block.Version),
		L1GasPrice: priceBody(block.L1Gas), L2GasPrice: priceBody(block.L2Gas), L1DataGasPrice: priceBody(block.L1DataGas),
		Transactions: make([]txItem, len(page.Items)),
	}
	for i, line := range page.Items {
		body.Transactions[i] = txItemBody(line)
	}
	return body, nil
}

func (s *server) blockTxs(ctx context.Context, c *Call) (any, error) {
	id, err := chain.ParseBlockID(c.Text(blockParam.Name), chain.Latest)
	if err != nil {
		return nil, err
	}
	request, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	_, page, err := s.Transactions.OfBlock(ctx, c.Chain, id, request)
	if err != nil {
		return nil, err
	}
	return coveredList[txItem]{paged(s, c, page.Page, txItemBody), wireCoverage(page.Coverage)}, nil
}

// blockParam names a block.
var blockParam = Param{
	Name: "number_or_hash", In: InPath, Kind: BlockKind, Required: true,
	About: "The block's number, its hash, or `latest`.", Example: "28",
}

func (s *server) blockOperations() []Operation {
	return []Operation{
		{
			ID: "listBlocks", Method: http.MethodGet, Path: "/v1/{chain}/blocks",
			Summary: "Blocks, the newest first",
			Params:  []Param{chainParam, limitParam(25, 200), cursorParam}, Permission: account.Read,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "BlockList",
			Proof: []string{"TestBlocksAreListedNewestFirst", "TestPagesOfBlocksNeitherRepeatNorSkip"}, Handle: s.blocks,
		},
		{
			ID: "getBlock", Method: http.MethodGet, Path: "/v1/{chain}/block/{number_or_hash}",
			Summary: "A block with its first transactions",
			Params: []Param{chainParam, blockParam, {
				Name: "tx_limit", In: InQuery, Kind: IntegerKind, Min: 1, Max: 200, Default: "50",
				About: "How many transactions to return at most.",
			}},
			Permission: account.Read, Class: Light, Cert: Certified, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Block", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{"TestABlockIsFoundByNumberHashAndLatest", "TestABlockTellsWhatTheChainSays"}, Handle: s.block,
		},
		{
			ID: "listBlockTransactions", Method: http.MethodGet, Path: "/v1/{chain}/block/{number_or_hash}/txs",
			Summary: "The transactions of a block in their order",
			Params:  []Param{chainParam, blockParam, limitParam(25, 100), cursorParam}, Permission: account.Read,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "BlockTransactionList", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{"TestPagesOfABlocksTransactionsNeitherRepeatNorSkip"}, Handle: s.blockTxs,
		},
		s.blockAtTimestampOperation(),
	}
}
