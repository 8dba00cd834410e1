package addresses_test

import (
	"math"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/addresses"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// TestDamagedRowsFailTheActivityOfTheirAddress plants damage: a NULL that bun
// would read as zero, an invalid value for the column's type, and an id without
// a felt.
func TestDamagedRowsFailTheActivityOfTheirAddress(t *testing.T) {
	t.Parallel()
	owner, transfer := sender(t)
	newest := address.Place{TxPlace: chain.TxPlace{Block: math.MaxInt32, Tx: math.MaxInt16}, Step: address.StepTransfer, LogIndex: math.MaxInt16, Index: math.MaxInt16}
	for name, planted := range map[string]string{
		"nothing":                   `SELECT`,
		"a block that is missing":   `DELETE FROM blocks WHERE chain = 1`,
		"an unknown type":           `UPDATE transactions SET type = 99 WHERE chain = 1`,
		"a hash that is too short":  `UPDATE transactions SET hash = '\x01' WHERE chain = 1`,
		"calldata of half a felt":   `UPDATE transactions SET calldata = '\x01' WHERE chain = 1`,
		"an unknown standard":       `UPDATE transfers SET standard = 99 WHERE chain = 1`,
		"a negative amount":         `UPDATE transfers SET amount = -1 WHERE chain = 1`,
		"a token without a felt":    `UPDATE transfers SET token = 1000000 WHERE chain = 1`,
		"a receiver without a felt": `UPDATE transfers SET receiver = 1000000 WHERE chain = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Database(t, repotest.Followed)
			connect(t, url, planted)
			db, err := repo.Open(t.Context(), repo.Options{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(db.Close)
			found, err := addresses.NewAddresses(db).ActivityOf(t.Context(), domain.Mainnet, []starknet.Felt{owner}, newest, 1000)
			if name != "nothing" {
				if err == nil {
					t.Errorf("got %+v, want an error", found)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			transfers := 0
			for _, v := range found[0] {
				transfers += len(v.Transfers)
			}
			if transfers == 0 || len(found[0]) == 0 {
				t.Errorf("%s sent %+v: got %d transactions with %d transfers, want some", owner, transfer, len(found[0]), transfers)
			}
		})
	}
}

// sender returns an address that sent a transfer.
func sender(t *testing.T) (starknet.Felt, facts.Transfer) {
	t.Helper()
	for _, block := range repotest.Everyday(t) {
		for _, transfer := range block.Transfers {
			if !transfer.From.IsZero() && transfer.Standard == facts.ERC20 {
				return transfer.From, transfer
			}
		}
	}
	t.Fatal("got no sender of a transfer, want one")
	return starknet.Felt{}, facts.Transfer{}
}
