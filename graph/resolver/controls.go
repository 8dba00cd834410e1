package resolver

import (
	"context"
	"time"

	"astrolabe/domain/token"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// TokenControls holds the controls over a token, derived from indexed events and
// classes.
type TokenControls struct {
	Indexed    bool
	ReasonCode string
	Snapshot   *TokenControlSnapshot
}

// TokenControlSnapshot holds the controls over a token as of a block.
type TokenControlSnapshot struct {
	SupplyControl, TransferControl, MetadataAdmin, UpgradeControl TokenControl
	Evidence                                                      []TokenControlEvidence
	AsOfBlock                                                     uint64
	IndexedAtIso                                                  time.Time
}

// TokenControl is one kind of control over a token.
type TokenControl struct {
	Status scalar.Enum
	Actor  *starknet.Felt
}

// TokenControlEvidence is an event or deployment that proves a control.
type TokenControlEvidence struct {
	Kind        string
	BlockNumber uint64
	TxHash      starknet.Felt
}

// Controls returns the controls over supply, transfers, metadata and class.
func (t *Token) Controls(ctx context.Context) (*TokenControls, error) {
	known, err := loadFact(ctx, t, (*Token).TokenAddress, factOf(t.onChain, "controls of a token", t.resolver.Controls.Of))
	if err != nil {
		return nil, err
	}
	if known == nil {
		return nil, token.Unknown(t.facts.Address)
	}
	controls := &TokenControls{Indexed: known.Snapshot != nil, ReasonCode: known.Reason}
	if s := known.Snapshot; s != nil {
		control := func(c token.Control) TokenControl { return TokenControl{scalar.Enum(c.Status), c.Actor} }
		controls.Snapshot = &TokenControlSnapshot{
			SupplyControl: control(s.Supply), TransferControl: control(s.Transfer), MetadataAdmin: control(s.Metadata), UpgradeControl: control(s.Upgrade),
			Evidence: convert(s.Evidence, func(e token.ControlEvidence) TokenControlEvidence {
				return TokenControlEvidence{e.Kind, e.Block, e.TxHash}
			}),
			AsOfBlock: s.Block, IndexedAtIso: s.At,
		}
	}
	return controls, nil
}
