package model_test

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// TestColumnTypesRefuseWhatTheyCannotHold scans NULL, a number out of range and
// text into every type.
func TestColumnTypesRefuseWhatTheyCannotHold(t *testing.T) {
	t.Parallel()
	for _, dest := range []sql.Scanner{
		new(model.Chain), new(model.BlockNumber), new(model.Index), new(model.ID), new(model.Kinds), new(model.Decimals), new(model.Hash),
		new(model.Felts), new(model.FeltNumber), new(model.Envelope), new(starknet.Felt), new(starknet.Uint256),
		new(model.L1DAMode), new(model.TransactionType), new(model.Standard), new(model.Origin), new(model.Evidence),
	} {
		for _, src := range []any{nil, int64(-1), int64(math.MaxInt64), "a text", []byte{1, 2, 3}, 1.5} {
			if err := dest.Scan(src); err == nil {
				t.Errorf("%T: got %v (%T) accepted, want an error", dest, src, src)
			}
		}
	}
}

// TestColumnTypesReadWhatTheyWrite sends values to Postgres and back.
func TestColumnTypesReadWhatTheyWrite(t *testing.T) {
	t.Parallel()
	db := open(t)
	largest := starknet.Uint256{}
	for i := range largest {
		largest[i] = 0xff
	}
	for _, test := range []struct {
		column string
		value  driver.Valuer
	}{
		{"smallint", model.Chain(domain.Mainnet)},
		{"smallint", model.Chain(domain.Sepolia)},
		{"integer", model.BlockNumber(math.MaxInt32)},
		{"smallint", model.Index(math.MaxInt16)},
		{"integer", model.ID(1)},
		{"smallint", model.Kinds(facts.TxSent)},
		{"smallint", model.Decimals(255)},
		{"bytea", model.Hash(largest)},
		{"bytea", model.Felts{starknet.FeltFromUint64(1), starknet.FeltFromUint64(2)}},
		{"bytea", model.Felts(nil)},
		{"bytea", model.Envelope{}},
		{"numeric", model.FeltNumber(starknet.MustFelt("0x800000000000011000000000000000000000000000000000000000000000000"))},
		{"numeric", model.FeltNumber{}},
		{"bytea", starknet.FeltFromUint64(math.MaxUint64)},
		{"numeric", largest},
		{"numeric", starknet.Uint256(starknet.FeltFromUint64(10_000_000_000_000_000_000))},
		{"smallint", model.L1DAMode(starknet.Blob)},
		{"smallint", model.TransactionType(starknet.L1Handler)},
		{"smallint", model.Standard(facts.ERC1155)},
		{"smallint", model.Origin(facts.Replaced)},
		{"smallint", model.Evidence(facts.FromTransaction)},
	} {
		got := reflect.New(reflect.TypeOf(test.value))
		if err := db.Write().NewRaw("/* test.echo */ SELECT ?::"+test.column, test.value).Scan(t.Context(), got.Interface()); err != nil {
			t.Errorf("%T: got %v, want no error", test.value, err)
			continue
		}
		if diff := cmp.Diff(test.value, got.Elem().Interface()); diff != "" {
			t.Errorf("%T (-want +got):\n%s", test.value, diff)
		}
	}
}

// TestNullAndNumbersThatDoNotFitAreErrors plants both in hot reads: bun itself
// reads NULL as 0 and wraps the number.
func TestNullAndNumbersThatDoNotFitAreErrors(t *testing.T) {
	t.Parallel()
	db := open(t)
	type row struct {
		Block model.BlockNumber `bun:"block"`
		Tx    model.Index       `bun:"tx"`
	}
	for _, planted := range []string{
		"SELECT NULL::integer AS block, 1::smallint AS tx",
		"SELECT 1 AS block, NULL::smallint AS tx",
		"SELECT 1 AS block, 70000 AS tx",
		"SELECT -1 AS block, 1 AS tx",
	} {
		_, err := repo.Select[row](t.Context(), db.Read(), "/* test.planted */ "+planted)
		if _, ok := errors.AsType[*model.ValueError](err); !ok {
			t.Errorf("%s: %v, want a ValueError", planted, err)
		}
	}
}
