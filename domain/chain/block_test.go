package chain

import (
	"testing"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

func TestAZeroPriceWasNotGiven(t *testing.T) {
	t.Parallel()
	five := starknet.FeltFromUint64(5)
	if got := GasPriceOf(starknet.ResourcePrice{}); got != nil {
		t.Errorf("no price at all is %+v, want nil", got)
	}
	if got := GasPriceOf(starknet.ResourcePrice{PriceInWei: five}); got == nil || got.Fri != nil || got.Wei == nil || got.Wei.String() != "5" {
		t.Errorf("a price in wei alone is %+v, want 5 wei and no FRI", got)
	}
	if got := GasPriceOf(starknet.ResourcePrice{PriceInFri: five}); got == nil || got.Wei != nil || got.Fri == nil || got.Fri.String() != "5" {
		t.Errorf("a price in fri alone is %+v, want 5 FRI and no wei", got)
	}
}

func TestASequencerOfZeroIsNotKnown(t *testing.T) {
	t.Parallel()
	if got := (&Block{Header: &facts.Header{}}).KnownSequencer(); got != nil {
		t.Errorf("the sequencer is %s, want nil", got)
	}
	five := starknet.FeltFromUint64(5)
	if got := (&Block{Header: &facts.Header{Sequencer: five}}).KnownSequencer(); got == nil || *got != five {
		t.Errorf("the sequencer is %v, want %s", got, five)
	}
}
