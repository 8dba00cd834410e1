package chain

import "testing"

func TestAHorizonStampsRows(t *testing.T) {
	t.Parallel()
	h := Horizon{Coverage: &Coverage{First: 5, Last: 30, Finalized: new(uint64(10))}, L1: new(uint64(7))}
	for block, want := range map[uint64]struct {
		tier     Tier
		finality FinalityStatus
	}{
		7:  {FinalizedTier, AcceptedOnL1},
		8:  {FinalizedTier, AcceptedOnL2},
		10: {FinalizedTier, AcceptedOnL2},
		11: {HeadTier, AcceptedOnL2},
	} {
		if h.Tier(block) != want.tier || h.Finality(block) != want.finality {
			t.Errorf("block %d: got %s and %s, want %s and %s", block, h.Tier(block), h.Finality(block), want.tier, want.finality)
		}
	}
	if (Horizon{}).Tier(0) != HeadTier || (Horizon{}).Finality(0) != AcceptedOnL2 {
		t.Errorf("what is not known is taken for final: got %s and %s, want %s and %s", (Horizon{}).Tier(0), (Horizon{}).Finality(0), HeadTier, AcceptedOnL2)
	}
}
