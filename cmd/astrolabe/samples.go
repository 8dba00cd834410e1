package main

import (
	"context"
	"time"

	"astrolabe/domain/token"
	"astrolabe/repo/tokens"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// samples name objects of a simulated chain, for scripts. Each can be requested
// as soon as its block is indexed.
type samples struct {
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
func findSamples(node *sim.Node) (samples, error) {
	s := samples{Tokens: sampleTokens(node), Selector: starknet.Selector("Transfer")}
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
		return samples{}, err
	}
	s.ClassHash = class
	for number := node.L1Head(); number > 0 && (s.TxHash.IsZero() || s.MessageHash == starknet.Hash256{}); number-- {
		block, err := node.Block(number)
		if err != nil {
			return samples{}, err
		}
		s.add(block)
	}
	return s, nil
}

// add completes the samples with transactions of a block.
func (s *samples) add(block *sim.Block) {
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

// revokedSample names the token whose census the demo revokes.
const revokedSample = "revoked"

// sampleTokens finds a token for each state of a holder census. The supply of
// the voting token has no event, so its audit fails; a collection has no
// fungible holders; the copycat's census is revoked by revokeSample.
func sampleTokens(node *sim.Node) map[string]starknet.Felt {
	shows := map[string]string{
		"STRK": string(token.CensusCertified), "vSTRK": string(token.CensusAuditFailed), "collection": "unqualified", "copycat": revokedSample,
	}
	tokens := make(map[string]starknet.Felt, len(shows))
	for _, contract := range node.Directory() {
		if state, ok := shows[contract.Name]; ok {
			tokens[state] = contract.Address
		}
	}
	return tokens
}

// revokeSample returns a component that revokes the census of one token of a
// simulated chain, like "astrolabe census revoke", as soon as it has one, so that
// the demo has a revoked census. The revocation is stored: later starts skip it.
func (d *deployment) revokeSample(node simulatedNode) component {
	return func(ctx context.Context) error {
		contract, ok := node.samples.Tokens[revokedSample]
		if !ok {
			return nil
		}
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			standings, err := tokens.NewCensus(d.db.DB).CensusStates(ctx, node.chain, []starknet.Felt{contract}, time.Now())
			if err == nil && standings[0].Held {
				return nil
			}
			if err == nil && standings[0].Generation != nil {
				_, err = tokens.NewCensusBuilder(d.db.DB).HoldCensus(ctx, node.chain, contract, "the demo shows a revoked census")
			}
			if err != nil && ctx.Err() == nil {
				d.logger.Debug("could not revoke the sample census yet", "error", err)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
		}
	}
}
