package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/NethermindEth/starknet.go/contracts"
	"github.com/NethermindEth/starknet.go/hash"

	"astrolabe/starknet"
)

// classes hashes the largest of the real Sierra classes, from memory and from JSON.
func classes(data string) []comparison {
	const name = "0x941a2dc3ab607819fdc929bea95831a2e0c1aab2f2f34b3a23c55cebc8a040"
	text, err := os.ReadFile(filepath.Join(data, "other_classes", name+".json"))
	check(err)
	readOurs := func() (class starknet.SierraClass) {
		check(json.Unmarshal(text, &class))
		return class
	}
	readTheirs := func() (class contracts.ContractClass) {
		check(json.Unmarshal(text, &class))
		return class
	}
	ours, theirs := readOurs(), readTheirs()
	agree("class hash", ours.Hash(), hash.ClassHash(&theirs))
	agree("class hash", starknet.MustFelt(name), hash.ClassHash(&theirs))
	return []comparison{
		{"hash of a real Sierra class", "classes", 1,
			func() { ours.Hash() }, func() { hash.ClassHash(&theirs) }},
		{"the same from its JSON", "classes", 1,
			func() { c := readOurs(); c.Hash() }, func() { c := readTheirs(); hash.ClassHash(&c) }},
	}
}
