package simnode

import (
	"astrolabe/domain/token"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// Samples name objects of a simulated chain, for scripts. Each can be requested
// as soon as its block is indexed.
type Samples struct {
	BlockNumber uint64           `json:"blockNumber"`
	BlockHash   starknet.Felt    `json:"blockHash"`
	TxHash      starknet.Felt    `json:"txHash"`  // of an INVOKE in that block
	Account     starknet.Felt    `json:"account"` // that sent it
	ERC20       starknet.Felt    `json:"erc20"`
	ERC721      starknet.Felt    `json:"erc721"`
	Contract    starknet.Felt    `json:"contract"`    // a bridge
	ClassHash   starknet.Felt    `json:"classHash"`   // of the ERC-20
	Selector    starknet.Felt    `json:"selector"`    // the first key of its transfers
	Pool        starknet.Felt    `json:"pool"`        // the privacy pool
	MessageHash starknet.Hash256 `json:"messageHash"` // of a message from L1

	// Tokens are named after the state of their holder census.
	Tokens map[string]starknet.Felt `json:"tokens"`
}

// findSamples chooses the samples of a node. Their blocks are accepted on L1, so
// no reorg removes them.
func findSamples(node *sim.Node) (Samples, error) {
	s := Samples{Tokens: sampleTokens(node), Selector: starknet.Selector("Transfer")}
	for _, contract := range node.Directory() {
		switch contract.Name {
		case "STRK":
			s.ERC20 = contract.Address
		case "collection":
			s.ERC721 = contract.Address
		case "STRK bridge":
			s.Contract = contract.Address
		case "privacy pool":
			s.Pool = contract.Address
		}
	}
	class, err := node.ClassHash(node.Head().Header.BlockNumber, s.ERC20)
	if err != nil {
		return Samples{}, err
	}
	s.ClassHash = class
	for number := node.L1Head(); number > 0 && (s.TxHash.IsZero() || s.MessageHash == starknet.Hash256{}); number-- {
		block, err := node.Block(number)
		if err != nil {
			return Samples{}, err
		}
		s.add(block)
	}
	return s, nil
}

// add completes the samples with transactions of a block.
func (s *Samples) add(block *sim.Block) {
	for i, receipt := range block.Receipts {
		sent := &block.Transactions[i]
		switch {
		case sent.Type == starknet.L1Handler && receipt.MessageHash != nil:
			s.MessageHash = *receipt.MessageHash
		case sent.Type == starknet.Invoke && s.TxHash.IsZero():
			s.BlockNumber, s.BlockHash = block.Header.BlockNumber, block.Header.BlockHash
			s.TxHash, s.Account = receipt.TransactionHash, sent.SenderAddress
		}
	}
}

// Revoked names the token whose census the demo revokes.
const Revoked = "revoked"

// sampleTokens finds a token for each state of a holder census. The supply of
// the voting token has no event, so its audit fails; a collection has no
// fungible holders; the demo revokes the census of the copycat.
func sampleTokens(node *sim.Node) map[string]starknet.Felt {
	shows := map[string]string{
		"STRK": string(token.CensusCertified), "vSTRK": string(token.CensusAuditFailed), "collection": "unqualified", "copycat": Revoked,
	}
	tokens := make(map[string]starknet.Felt, len(shows))
	for _, contract := range node.Directory() {
		if state, ok := shows[contract.Name]; ok {
			tokens[state] = contract.Address
		}
	}
	return tokens
}
