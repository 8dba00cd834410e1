package repo

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// TestATransactionTakesQueriesAndCOPY writes with queries and with COPY, and
// reads the rows before and after the commit.
func TestATransactionTakesQueriesAndCOPY(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	mainnet := model.Chain(domain.Mainnet)
	first := model.Address{Chain: mainnet, ID: 1, Felt: starknet.FeltFromUint64(7)}
	second := model.Address{Chain: mainnet, ID: 2, Felt: starknet.FeltFromUint64(8)}
	rows := []byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x03" + "\x00\x00\x00\x02\x00\x01" + "\x00\x00\x00\x04\x00\x00\x00\x02" + "\x00\x00\x00\x20" + string(second.Felt[:]) +
		"\xff\xff")

	const list = "/* test.list */ SELECT chain, id, felt FROM addresses WHERE chain = $1 ORDER BY id"
	check := func(tx Tx) error {
		if _, err := tx.NewInsert().Model(&first).Comment("test.insert").Exec(t.Context()); err != nil {
			return err
		}
		if err := tx.Copy(t.Context(), "addresses", "chain, id, felt", bytes.NewReader(rows)); err != nil {
			return err
		}
		got, err := Select[model.Address](t.Context(), tx, list, 1)
		if err != nil {
			return err
		}
		if diff := cmp.Diff([]model.Address{first, second}, got); diff != "" {
			t.Errorf("inside (-want +got):\n%s", diff)
		}
		return nil
	}
	undone := errors.New("undone")
	if err := db.InTx(t.Context(), func(tx Tx) error { return errors.Join(check(tx), undone) }); !errors.Is(err, undone) {
		t.Fatalf("got %v, want %v", err, undone)
	}
	if got, err := Select[model.Address](t.Context(), db.Read(), list, 1); err != nil || len(got) != 0 {
		t.Fatalf("after a rollback: got %v and %v, want no rows", got, err)
	}
	if err := db.InTx(t.Context(), check); err != nil {
		t.Fatal(err)
	}
	var ids []model.ID
	err := Each(t.Context(), db.Read(), func(a *model.Address) error {
		ids = append(ids, a.ID)
		return nil
	}, list, 1)
	if diff := cmp.Diff([]model.ID{1, 2}, ids); err != nil || diff != "" {
		t.Errorf("after the commit: got %v, want no error (-want +got):\n%s", err, diff)
	}
}
