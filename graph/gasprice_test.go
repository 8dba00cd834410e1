package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMissingGasPriceIsNull holds what both facades promise of
// the oldest blocks, whose headers have zeros for prices that did not exist.
func TestMissingGasPriceIsNull(t *testing.T) {
	t.Parallel()
	g := explore(t)
	// Felts in the order of the column: L1 gas, L1 data gas, L2 gas, each in wei and then in FRI.
	if _, err := g.db.Write().ExecContext(t.Context(), `UPDATE blocks SET prices = decode(
		lpad('5', 64, '0') || repeat('0', 64) || repeat('0', 64) || lpad('7', 64, '0') || repeat('0', 128), 'hex') WHERE block = 6`); err != nil {
		t.Fatal(err)
	}
	type price struct{ PriceInWei, PriceInFri *string }
	type block struct{ L1GasPrice, L1DataGasPrice, L2GasPrice *price }
	want := block{L1GasPrice: &price{PriceInWei: new("5")}, L1DataGasPrice: &price{PriceInFri: new("7")}}
	got := answer[struct{ Block block }](t, g, `{block(chain: SN_MAIN, number: 6) {
		l1GasPrice {priceInWei priceInFri} l1DataGasPrice {priceInWei priceInFri} l2GasPrice {priceInWei priceInFri}}}`, nil).Block
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the prices of a block (-want +got):\n%s", diff)
	}
}
