package main

import (
	"context"
	"time"

	"astrolabe/domain/token"
	"astrolabe/repo/tokens"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// samples name contracts of a simulated chain that show particular states.
type samples struct {
	// Tokens are named after the state of their holder census.
	Tokens map[string]starknet.Felt `json:"tokens,omitempty"`
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
		contract, ok := node.tokens[revokedSample]
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
