package rest

import (
	"time"

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
