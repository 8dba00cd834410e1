package index

import (
	"math"
	"strings"
	"testing"

	"astrolabe/repo"
)

func TestANumberThatDoesNotFitItsColumnIsNotCopied(t *testing.T) {
	t.Parallel()
	for _, v := range []int{math.MinInt16 - 1, math.MaxInt16 + 1, math.MaxUint16 + 1} {
		var rows copyRows
		rows.row(2)
		rows.int2(v)
		rows.int2(1)
		// There is no transaction: nothing may be sent.
		if err := rows.into(t.Context(), repo.Tx{}, "things", "a, b"); err == nil || !strings.Contains(err.Error(), "things") {
			t.Errorf("%d: %v", v, err)
		}
	}
	for _, v := range []int{math.MinInt16, -1, math.MaxInt16} {
		var rows copyRows
		if rows.int2(v); rows.err != nil {
			t.Errorf("%d: %v", v, rows.err)
		}
	}
}
