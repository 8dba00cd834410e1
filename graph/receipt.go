package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// Receipt is what became of a transaction.
type Receipt struct {
	ExecutionStatus Word
	FinalityStatus  Word
	ActualFeeRaw    *domain.Amount
	FeeUnit         *Word
	L1Gas           *domain.Amount
	L1DataGas       *domain.Amount
	L2Gas           *domain.Amount
	RevertReason    *string
}

// Receipt returns what became of the transaction.
func (t *Transaction) Receipt(ctx context.Context) (*Receipt, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return nil, err
	}
	return &Receipt{
		ExecutionStatus: Word(chain.Execution(facts.Reverted)), FinalityStatus: Word(facts.Finality),
		ActualFeeRaw: new(feltAmount(facts.Fee)), FeeUnit: wordOrNil(facts.FeeUnit),
		L1Gas:        new(domain.AmountFromUint64(facts.Resources.L1Gas)),
		L1DataGas:    new(domain.AmountFromUint64(facts.Resources.L1DataGas)),
		L2Gas:        new(domain.AmountFromUint64(facts.Resources.L2Gas)),
		RevertReason: textOrNil(facts.RevertReason),
	}, nil
}
