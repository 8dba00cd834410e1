package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/bridge"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// BridgeSignal is what a bridge tells of a deposit or a withdrawal.
type BridgeSignal struct {
	onChain
	membership[*BridgeSignal]
	signal *bridge.Signal
}

// BlockNumber returns the number of the block.
func (s *BridgeSignal) BlockNumber() uint64 { return s.signal.Block }

// TimestampIso returns when the block was made.
func (s *BridgeSignal) TimestampIso() time.Time { return s.signal.Time }

// TxIndex returns the index of the transaction in the block.
func (s *BridgeSignal) TxIndex() int { return s.signal.Tx }

// LogIndex returns the index of the event in the transaction.
func (s *BridgeSignal) LogIndex() int { return s.signal.Log }

// TxHash returns the hash of the transaction.
func (s *BridgeSignal) TxHash() starknet.Felt { return s.signal.TxHash }

// Direction returns the way that value takes.
func (s *BridgeSignal) Direction() scalar.Enum { return scalar.Enum(s.signal.Direction) }

// Protocol returns the protocol of the bridge.
func (s *BridgeSignal) Protocol() string { return s.signal.Protocol }

// TokenAddress returns the token on L2.
func (s *BridgeSignal) TokenAddress() *starknet.Felt { return s.signal.Token }

// L1Token returns the token on L1.
func (s *BridgeSignal) L1Token() *starknet.Felt { return s.signal.L1Token }

// Account returns who receives or withdraws.
func (s *BridgeSignal) Account() *starknet.Felt { return s.signal.Account }

// Amount returns how much it is.
func (s *BridgeSignal) Amount() *domain.Amount { return amountOrNil(s.signal.Amount) }

// EventName returns the name of the event.
func (s *BridgeSignal) EventName() string { return s.signal.Event }

// MessageHash returns the hash of the message that the signal belongs to.
func (s *BridgeSignal) MessageHash() *starknet.Hash256 { return s.signal.Message }

// PairingConfidence tells what the signal rests on.
func (s *BridgeSignal) PairingConfidence() scalar.Enum { return scalar.Enum(s.signal.Confidence()) }

// Token returns the token on L2.
func (s *BridgeSignal) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, s, "BridgeSignal.token", optionalKey((*BridgeSignal).TokenAddress), s.tokens())
}

// AccountAddress returns who receives or withdraws.
func (s *BridgeSignal) AccountAddress(context.Context) (*Address, error) {
	return toAddress(s, "BridgeSignal.accountAddress", optionalKey((*BridgeSignal).Account))
}

// Transaction returns the transaction.
func (s *BridgeSignal) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, s, "BridgeSignal.transaction", requiredKey((*BridgeSignal).TxHash), s.transactionsByHash())
}

// BridgeSignalConnection is a page of signals.
type BridgeSignalConnection = Connection[*BridgeSignal]

// BridgeSignalEdge is a signal in a list.
type BridgeSignalEdge = Edge[*BridgeSignal]

// BridgeSignals returns what the contract tells as a bridge.
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
