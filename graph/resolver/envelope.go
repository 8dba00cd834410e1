package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// factOfTransaction returns one of the indexed facts of a transaction.
func factOfTransaction[T any](ctx context.Context, t *Transaction, get func(*chain.Transaction) T) (T, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return *new(T), err
	}
	return get(facts), nil
}

// Signature returns the signature.
func (t *Transaction) Signature(ctx context.Context) ([]starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) []starknet.Felt { return f.Signature })
}

// MaxFeeRaw returns the largest fee that the sender accepts.
func (t *Transaction) MaxFeeRaw(ctx context.Context) (*domain.Amount, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *domain.Amount { return amountOrNil((*starknet.Uint256)(f.MaxFee)) })
}

// TipRaw returns the tip per unit of L2 gas.
func (t *Transaction) TipRaw(ctx context.Context) (*domain.Amount, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *domain.Amount {
		if f.Terms == nil {
			return nil
		}
		return new(domain.AmountFromUint64(f.Terms.Tip))
	})
}

// ResourceBounds are the limits that a transaction sets for each resource.
type ResourceBounds struct {
	L1Gas     *ResourceBound
	L1DataGas *ResourceBound
	L2Gas     *ResourceBound
}

// ResourceBound is the limit of one resource.
type ResourceBound struct {
	MaxAmountRaw       domain.Amount
	MaxPricePerUnitRaw domain.Amount
}

func newBound(b *starknet.ResourceBound) *ResourceBound {
	if b == nil {
		return nil
	}
	return &ResourceBound{domain.AmountFromUint64(uint64(b.MaxAmount)), feltAmount(b.MaxPricePerUnit.Felt())}
}

// ResourceBounds returns the limits of each resource.
func (t *Transaction) ResourceBounds(ctx context.Context) (*ResourceBounds, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *ResourceBounds {
		if f.Terms == nil {
			return nil
		}
		return &ResourceBounds{newBound(&f.Terms.Bounds.L1Gas), newBound(f.Terms.L1DataGas()), newBound(&f.Terms.Bounds.L2Gas)}
	})
}

// NonceDataAvailabilityMode returns where the nonce is published.
func (t *Transaction) NonceDataAvailabilityMode(ctx context.Context) (*scalar.Enum, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *scalar.Enum {
		if f.Terms == nil {
			return nil
		}
		return dataMode(f.Terms.NonceMode)
	})
}

// FeeDataAvailabilityMode returns where the fee payment is published.
func (t *Transaction) FeeDataAvailabilityMode(ctx context.Context) (*scalar.Enum, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *scalar.Enum {
		if f.Terms == nil {
			return nil
		}
		return dataMode(f.Terms.FeeMode)
	})
}

func dataMode(mode starknet.DataAvailability) *scalar.Enum { return new(scalar.Enum(mode.String())) }

// PaymasterData returns the data for a paymaster.
func (t *Transaction) PaymasterData(ctx context.Context) ([]starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) []starknet.Felt { return f.PaymasterData })
}

// AccountDeploymentData returns the data for the deployment of the sender.
func (t *Transaction) AccountDeploymentData(ctx context.Context) ([]starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) []starknet.Felt { return f.AccountDeploymentData })
}

// EntryPointSelector returns the selector of the entry point that the
// transaction itself calls.
func (t *Transaction) EntryPointSelector(ctx context.Context) (*starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *starknet.Felt { return f.Selector })
}

// ClassHash returns the class that the transaction declares or deploys.
func (t *Transaction) ClassHash(ctx context.Context) (*starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *starknet.Felt { return f.Class })
}

// CompiledClassHash returns the compiled class hash that a declaration commits
// to.
func (t *Transaction) CompiledClassHash(ctx context.Context) (*starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *starknet.Felt { return f.CompiledClass })
}

// ContractAddress returns the contract that the transaction deploys.
func (t *Transaction) ContractAddress(ctx context.Context) (*starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *starknet.Felt { return f.DeployedContract() })
}

// ContractAddressSalt returns the salt of that contract's address.
func (t *Transaction) ContractAddressSalt(ctx context.Context) (*starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) *starknet.Felt { return f.Salt })
}

// ConstructorCalldata returns the calldata of that contract's constructor.
func (t *Transaction) ConstructorCalldata(ctx context.Context) ([]starknet.Felt, error) {
	return factOfTransaction(ctx, t, func(f *chain.Transaction) []starknet.Felt { return f.ConstructorCalldata() })
}
