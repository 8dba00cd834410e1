package chain

import (
	"testing"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

func TestAZeroSequencerIsUnknown(t *testing.T) {
	t.Parallel()
	if got := (&Block{Header: &facts.Header{}}).KnownSequencer(); got != nil {
		t.Errorf("got the sequencer %s, want nil", got)
	}
	five := starknet.FeltFromUint64(5)
	if got := (&Block{Header: &facts.Header{Sequencer: five}}).KnownSequencer(); got == nil || *got != five {
		t.Errorf("got the sequencer %v, want %s", got, five)
	}
}
