package privacy

import (
	"context"

	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// NoteItem is the event that a commitment or a nullifier is from.
type NoteItem struct {
	BlockNumber         uint64            `json:"blockNumber"`
	TxIndex             int               `json:"txIndex"`
	LogIndex            int               `json:"logIndex"`
	TxHash              starknet.Felt     `json:"txHash"`
	PoolContractAddress starknet.Felt     `json:"poolContractAddress"`
	EventName           facts.PoolVariant `json:"eventName"`
	SourceTier          chain.Tier        `json:"sourceTier"`
}

func noteItem(n privacy.Note) NoteItem {
	return NoteItem{
		BlockNumber: n.At.Block, TxIndex: n.At.Tx, LogIndex: n.At.Log, TxHash: n.TxHash, PoolContractAddress: n.Pool,
		EventName: n.Variant, SourceTier: n.Tier,
	}
}

// CommitmentItem is a note that was created.
type CommitmentItem struct {
	NoteItem
	CommitmentHash starknet.Felt  `json:"commitmentHash"`
	TokenAddress   *starknet.Felt `json:"tokenAddress"`
	AmountRaw      *string        `json:"amountRaw"`
}

func (h Handlers) commitments(ctx context.Context, c *frame.Call) (any, error) {
	request, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	page, err := h.PrivacyEvents.Commitments(ctx, c.Chain, poolOf(c), request)
	if err != nil {
		return nil, err
	}
	return renderPage(c, page, func(n privacy.Note) CommitmentItem {
		return CommitmentItem{noteItem(n), n.Hash, n.Token, frame.DecimalOrNull(n.Amount)}
	}), nil
}

// NullifierItem is a note that was used.
type NullifierItem struct {
	NoteItem
	NullifierHash starknet.Felt `json:"nullifierHash"`
}

func (h Handlers) nullifiers(ctx context.Context, c *frame.Call) (any, error) {
	request, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	page, err := h.PrivacyEvents.Nullifiers(ctx, c.Chain, poolOf(c), request)
	if err != nil {
		return nil, err
	}
	return renderPage(c, page, func(n privacy.Note) NullifierItem { return NullifierItem{noteItem(n), n.Hash} }), nil
}

// poolOf returns the pool whose notes are listed, nil for all.
func poolOf(c *frame.Call) *starknet.Felt {
	if !c.Given("pool") {
		return nil
	}
	return new(c.Felt("pool"))
}
