package starknet

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestBlockHashOfStarknet0141(t *testing.T) {
	t.Parallel()
	var header BlockHeader
	readJSON(t, "testdata/header_sepolia_4072139.json", &header)
	if got, err := header.ComputeHash(); err != nil || got != header.BlockHash {
		t.Errorf("hash %v, %v, want %v", got, err, header.BlockHash)
	}
	header.L2GasPrice.PriceInFri = FeltFromUint64(1)
	if got, err := header.ComputeHash(); err != nil || got == header.BlockHash {
		t.Errorf("the price of L2 gas does not change the hash: %v", err)
	}
}

func TestRealBlockHashesSince0132AreReproduced(t *testing.T) {
	t.Parallel()
	reproduced := 0
	for _, path := range realFiles(t, "SN_*/blocks/*.json") {
		var block BlockWithReceipts
		readJSON(t, path, &block)
		got, err := block.ComputeHash()
		if errors.Is(err, ErrOldBlock) {
			continue
		}
		if err != nil || got != block.BlockHash {
			t.Errorf("%s: hash %v, %v, want %v", filepath.Base(path), got, err, block.BlockHash)
		}
		reproduced++
	}
	if reproduced == 0 {
		t.Error("no block was young enough")
	}
}

func TestBlockHashRefusesUnknownVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "0.13.1", "0.12.3.2", "x", "0.13", "0.14.0.1.2.3.4.5.6.7.8.9.10.11.12.13"} {
		header := BlockHeader{PreConfirmedHeader: PreConfirmedHeader{StarknetVersion: version}}
		if _, err := header.ComputeHash(); !errors.Is(err, ErrOldBlock) {
			t.Errorf("version %q: %v", version, err)
		}
	}
}
