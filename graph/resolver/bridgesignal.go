package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/bridge"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// BridgeSignal is a deposit or withdrawal event of a registered bridge.
type BridgeSignal struct {
	onChain
	membership[*BridgeSignal]
	signal *bridge.Signal
}

// BlockNumber returns the number of the block of the signal.
func (s *BridgeSignal) BlockNumber() uint64 { return s.signal.Block }

// TimestampIso returns the timestamp of the block of the signal.
func (s *BridgeSignal) TimestampIso() time.Time { return s.signal.Time }

// TxIndex returns the index of the transaction in its block.
func (s *BridgeSignal) TxIndex() int { return s.signal.Tx }

// LogIndex returns the index of the event in its transaction.
func (s *BridgeSignal) LogIndex() int { return s.signal.Log }

// TxHash returns the hash of the transaction of the signal.
func (s *BridgeSignal) TxHash() starknet.Felt { return s.signal.TxHash }

// Direction returns the direction of the value.
func (s *BridgeSignal) Direction() scalar.Enum { return scalar.Enum(s.signal.Direction) }

// Protocol returns the protocol of the bridge.
func (s *BridgeSignal) Protocol() string { return s.signal.Protocol }

// TokenAddress returns the token on L2.
func (s *BridgeSignal) TokenAddress() *starknet.Felt { return s.signal.Token }

// L1Token returns the token on L1.
func (s *BridgeSignal) L1Token() *starknet.Felt { return s.signal.L1Token }

// Account returns the account on L2 that receives the deposit or makes the
// withdrawal.
func (s *BridgeSignal) Account() *starknet.Felt { return s.signal.Account }

// Amount returns the amount in the smallest unit of the token.
func (s *BridgeSignal) Amount() *domain.Amount { return amountOrNil(s.signal.Amount) }

// EventName returns the name of the event.
func (s *BridgeSignal) EventName() string { return s.signal.Event }

// MessageHash returns the hash of the matching cross-layer message.
func (s *BridgeSignal) MessageHash() *starknet.Hash256 { return s.signal.Message }

// PairingConfidence returns the evidence for the signal.
func (s *BridgeSignal) PairingConfidence() scalar.Enum { return scalar.Enum(s.signal.Confidence()) }

// Token returns the token on L2.
func (s *BridgeSignal) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, s, "BridgeSignal.token", optionalKey((*BridgeSignal).TokenAddress), s.tokens())
}

// AccountAddress returns the account on L2 that receives the deposit or makes
// the withdrawal.
func (s *BridgeSignal) AccountAddress(context.Context) (*Address, error) {
	return toAddress(s, "BridgeSignal.accountAddress", optionalKey((*BridgeSignal).Account))
}

// Transaction returns the transaction of the signal.
func (s *BridgeSignal) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, s, "BridgeSignal.transaction", requiredKey((*BridgeSignal).TxHash), s.transactionsByHash())
}

// BridgeSignalConnection is a page of bridge signals.
type BridgeSignalConnection = Connection[*BridgeSignal]

// BridgeSignalEdge is an edge of a connection with one signal and its cursor.
type BridgeSignalEdge = Edge[*BridgeSignal]

// BridgeSignals returns the deposits and withdrawals of a registered bridge,
// newest first.
func (c *Contract) BridgeSignals(ctx context.Context, first *int, after *string) (*BridgeSignalConnection, error) {
	return connect(ctx, c, first, after, (*Contract).Address, c.signalsOfContracts(), nil)
}

// signalsOfContracts pages through each contract's signals.
func (on onChain) signalsOfContracts() coveredPager[starknet.Felt, bridge.Signal, *BridgeSignal] {
	return coveredPagerOf(on, func(ctx context.Context, c domain.Chain, contracts []starknet.Felt, page domain.PageRequest) ([]coveredPage[bridge.Signal], error) {
		lists, err := on.resolver.Bridges.Of(ctx, c, contracts, page)
		return convert(lists, func(l bridge.List) coveredPage[bridge.Signal] { return coveredPage[bridge.Signal]{l.Page, &l.Coverage} }), err
	}, bridge.Signal.Position, func(s bridge.Signal) *BridgeSignal { return &BridgeSignal{onChain: on, signal: &s} })
}
