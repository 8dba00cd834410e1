package main

import (
	"context"
	"time"

	"astrolabe/domain/token"
	"astrolabe/repo/tokens"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// samples are things of a simulated chain that are worth a look.
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

// revokeSample is the part that revokes the census of one token of a simulated
// chain, as "astrolabe census revoke" would, as soon as there is one: a demo
// shows that state, too. The hold lasts, so that later starts find it done.
func (d *deployment) revokeSample(node simulatedNode) part {
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
				d.logger.Debug("the sample's census could not be revoked yet", "error", err)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
		}
	}
}
