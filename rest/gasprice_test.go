package rest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/repo/repotest"
)

// TestMissingGasPriceIsNull holds what both facades promise of
// the oldest blocks, whose headers have zeros for prices that did not exist.
func TestMissingGasPriceIsNull(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	// Felts in the order of the column: L1 gas, L1 data gas, L2 gas, each in wei and then in FRI.
	if _, err := conn.Exec(t.Context(), `UPDATE blocks SET prices = decode(
		lpad('5', 64, '0') || repeat('0', 64) || repeat('0', 64) || lpad('7', 64, '0') || repeat('0', 128), 'hex') WHERE block = 6`); err != nil {
		t.Fatal(err)
	}
	type prices struct{ L1GasPrice, L1DataGasPrice, L2GasPrice map[string]*string }
	want := prices{
		L1GasPrice:     map[string]*string{"priceInWei": new("5"), "priceInFri": nil},
		L1DataGasPrice: map[string]*string{"priceInWei": nil, "priceInFri": new("7")},
	}
	if diff := cmp.Diff(want, read[prices](s, "/v1/SN_MAIN/block/6")); diff != "" {
		t.Errorf("the prices of a block (-want +got):\n%s", diff)
	}
}
