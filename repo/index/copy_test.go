package index

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"astrolabe/repo"
	"astrolabe/repo/model"
)

func TestANumberThatDoesNotFitItsColumnIsNotCopied(t *testing.T) {
	t.Parallel()
	for _, v := range []int{math.MinInt16 - 1, math.MaxInt16 + 1, math.MaxUint16 + 1} {
		var rows copyRows
		rows.row(2)
		rows.int2(v)
		rows.int2(1)
		// Without a transaction, sending anything would panic.
		if err := rows.into(t.Context(), repo.Tx{}, "things", "a, b"); err == nil || !strings.Contains(err.Error(), "things") {
			t.Errorf("%d: got %v, want an error that names things", v, err)
		}
	}
	for _, v := range []int{math.MinInt16, -1, math.MaxInt16} {
		var rows copyRows
		if rows.int2(v); rows.err != nil {
			t.Errorf("%d: got %v, want no error", v, rows.err)
		}
	}
}

func TestAValueThatItsEnumerationLacksIsNotCopied(t *testing.T) {
	t.Parallel()
	var rows copyRows
	rows.row(1)
	enum(&rows, model.Standard("erc9999"))
	if err := rows.into(t.Context(), repo.Tx{}, "things", "a"); err == nil || !strings.Contains(err.Error(), "things") {
		t.Errorf("got %v, want an error that names things", err)
	}
}

// TestANumberIsWrittenAsPostgresReadsIt decodes with the driver.
func TestANumberIsWrittenAsPostgresReadsIt(t *testing.T) {
	t.Parallel()
	one, types := big.NewInt(1), pgtype.NewMap()
	for _, n := range []*big.Int{
		new(big.Int), one, big.NewInt(9_999), big.NewInt(10_000), big.NewInt(100_000_000), big.NewInt(123_456_789_000_000),
		new(big.Int).Lsh(one, 128), new(big.Int).Sub(new(big.Int).Lsh(one, 256), one),
	} {
		var (
			number [32]byte
			read   pgtype.Numeric
		)
		n.FillBytes(number[:])
		if err := types.Scan(pgtype.NumericOID, pgtype.BinaryFormatCode, appendNumeric(nil, &number), &read); err != nil {
			t.Fatal(err)
		}
		got := new(big.Int).Mul(read.Int, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(read.Exp)), nil))
		if read.Exp < 0 || got.Cmp(n) != 0 {
			t.Errorf("%s became %se%d, want the same", n, read.Int, read.Exp)
		}
	}
}
