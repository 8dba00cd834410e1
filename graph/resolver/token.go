package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Token is a token contract. Its counts are read only if they are selected.
type Token struct {
	onChain
	membership[*Token]
	facts *token.Token
}

// tokenType is the type of a token's global id.
const tokenType = "Token"

// IsNode marks the token as a Node.
func (t *Token) IsNode() {}

// ID returns the token's global id.
func (t *Token) ID() string { return t.id(tokenType, t.facts.Address.String()) }

// TokenAddress returns the address of the token contract.
func (t *Token) TokenAddress() starknet.Felt { return t.facts.Address }

// Symbol returns the self-declared symbol of the token.
func (t *Token) Symbol() *string { return t.facts.Metadata.Symbol }

// Name returns the self-declared name of the token.
func (t *Token) Name() *string { return t.facts.Metadata.Name }

// Decimals returns the self-declared number of decimals.
func (t *Token) Decimals() *int { return intOrNil(t.facts.Metadata.Decimals) }

// Standard returns the token standard.
func (t *Token) Standard() scalar.Enum { return scalar.Enum(t.facts.Standard) }

// MetadataUpdatedAtIso returns when symbol, name and decimals were read from
// the contract.
func (t *Token) MetadataUpdatedAtIso() *time.Time { return t.facts.DescribedAt() }

// TotalSupplyRaw returns the newest total supply that was read, in the smallest
// unit.
func (t *Token) TotalSupplyRaw() *domain.Amount {
	if t.facts.Supply == nil {
		return nil
	}
	return amountOrNil(&t.facts.Supply.Raw)
}

// TotalSupplyBlockNumber returns the block of that total supply.
func (t *Token) TotalSupplyBlockNumber() *uint64 {
	if t.facts.Supply == nil {
		return nil
	}
	return &t.facts.Supply.Block
}

// summary returns the transfer counts of the token.
func (t *Token) summary(ctx context.Context) (*token.Summary, error) {
	found, err := loadFact(ctx, t, (*Token).TokenAddress, factOf(t.onChain, "summary of a token", t.resolver.Tokens.Summaries))
	if err == nil && found == nil {
		err = token.Unknown(t.facts.Address)
	}
	return found, err
}

// counts returns the counts of the token, nil if they are unknown.
func (t *Token) counts(ctx context.Context, one func(*token.Counts) uint64) (*uint64, error) {
	summary, err := t.summary(ctx)
	if err != nil || summary.Counts == nil {
		return nil, err
	}
	return new(one(summary.Counts)), nil
}

// SummaryCacheStatus returns the basis of the counts.
func (t *Token) SummaryCacheStatus(ctx context.Context) (scalar.Enum, error) {
	summary, err := t.summary(ctx)
	if err != nil {
		return "", err
	}
	return scalar.Enum(summary.Status), nil
}

// SummaryCacheUpdatedAtIso returns when the precomputed totals were updated.
func (t *Token) SummaryCacheUpdatedAtIso(ctx context.Context) (*time.Time, error) {
	summary, err := t.summary(ctx)
	if err != nil {
		return nil, err
	}
	return summary.UpdatedAt, nil
}

// TransferCount returns the number of transfers.
func (t *Token) TransferCount(ctx context.Context) (*uint64, error) {
	return t.counts(ctx, func(c *token.Counts) uint64 { return c.Transfers })
}

// DistinctFromCount returns the number of distinct senders, including the zero
// address of mints.
func (t *Token) DistinctFromCount(ctx context.Context) (*uint64, error) {
	return t.counts(ctx, func(c *token.Counts) uint64 { return c.Senders })
}

// DistinctToCount returns the number of distinct recipients, including the zero
// address of burns.
func (t *Token) DistinctToCount(ctx context.Context) (*uint64, error) {
	return t.counts(ctx, func(c *token.Counts) uint64 { return c.Receivers })
}

// LatestTransferBlock returns the newest block with a transfer.
func (t *Token) LatestTransferBlock(ctx context.Context) (*uint64, error) {
	summary, err := t.summary(ctx)
	if err != nil {
		return nil, err
	}
	return summary.Latest, nil
}

// Contract returns the contract of the token.
func (t *Token) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, t, "Token.contract", requiredKey((*Token).TokenAddress), t.contracts())
}

// Transfers returns the transfers of the token, newest first.
func (t *Token) Transfers(ctx context.Context, addresses []starknet.Felt, first *int, after *string) (*TransferConnection, error) {
	if err := checkFilter("addresses", addresses); err != nil {
		return nil, err
	}
	count := t.countTransfers
	if len(addresses) > 0 {
		count = nil
	}
	return connect(ctx, t, first, after, (*Token).TokenAddress, t.transfersOfTokens(addresses), count)
}

// countTransfers counts the token's transfers. Stale totals are a lower
// bound.
func (t *Token) countTransfers(ctx context.Context) (total, error) {
	summary, err := t.summary(ctx)
	if err != nil || summary.Counts == nil {
		return total{}, err
	}
	return total{&summary.Counts.Transfers, summary.Status != token.SummaryStale}, nil
}

// tokens looks up tokens; an address without a known token is nil.
func (on onChain) tokens() lookup[starknet.Felt, *token.Token, *Token] {
	return lookupOf(factOf(on, "token by address", on.resolver.Tokens.Of), func(facts *token.Token) *Token {
		return &Token{onChain: on, facts: facts}
	})
}

// Token returns a token by address.
func (r *Query) Token(ctx context.Context, id domain.Chain, address starknet.Felt) (*Token, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	found, err := on.tokens().all(ctx, nil, []starknet.Felt{address})
	if err == nil && found[0] == nil {
		err = r.resolver.Tokens.Absent(ctx, id, address)
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

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
