package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	"github.com/NethermindEth/starknet.go/rpc"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// events reads the events of a real block from its JSON, and decodes the events of all
// real blocks by the ABIs of real classes. For the latter starknet.go has nothing.
func events(data string) []comparison {
	text, err := os.ReadFile(filepath.Join(data, "SN_MAIN", "blocks", "19199.json"))
	check(err)
	readOurs := func() (number int) {
		var block starknet.BlockWithReceipts
		check(json.Unmarshal(text, &block))
		for i := range block.Transactions {
			number += len(block.Transactions[i].Receipt.Events)
		}
		return number
	}
	readTheirs := func() (number int) {
		var block rpc.BlockWithReceipts
		check(json.Unmarshal(text, &block))
		for i := range block.Transactions {
			number += len(block.Transactions[i].Receipt.Events)
		}
		return number
	}
	number := readOurs()
	if number != readTheirs() {
		log.Fatal("the block has different numbers of events")
	}
	decodable := decodableEvents(data)
	return []comparison{
		{"a real block with receipts from its JSON", "events", number,
			func() { readOurs() }, func() { readTheirs() }},
		{"real events by the ABIs of real classes", "events", len(decodable), func() {
			for i := range decodable {
				_, err := decodable[i].schema.DecodeEvent(decodable[i].Keys, decodable[i].Data)
				check(err)
			}
		}, nil},
	}
}

// decodableEvent is an event with an ABI that explains it.
type decodableEvent struct {
	starknet.Event
	schema *abi.Schema
}

// decodableEvents finds the events of real blocks that fit the ABI of a real class.
func decodableEvents(data string) (found []decodableEvent) {
	var schemas []*abi.Schema
	for _, path := range append(files(data, "SN_*/classes/*.json"), files(data, "other_classes/*.json")...) {
		var class starknet.Class
		read(path, &class)
		schema, err := abi.Compile(class.ABI())
		check(err)
		schemas = append(schemas, schema)
	}
	for _, path := range files(data, "SN_*/blocks/*.json") {
		var block starknet.BlockWithReceipts
		read(path, &block)
		for i := range block.Transactions {
			for _, event := range block.Transactions[i].Receipt.Events {
				if schema := explains(schemas, event); schema != nil {
					found = append(found, decodableEvent{event, schema})
				}
			}
		}
	}
	return found
}

func explains(schemas []*abi.Schema, event starknet.Event) *abi.Schema {
	for _, schema := range schemas {
		if _, err := schema.DecodeEvent(event.Keys, event.Data); err == nil {
			return schema
		}
	}
	return nil
}

func files(data, pattern string) []string {
	paths, err := filepath.Glob(filepath.Join(data, pattern))
	check(err)
	return paths
}

func read(path string, into any) {
	text, err := os.ReadFile(path) //nolint:gosec // a file of the data folder
	check(err)
	check(json.Unmarshal(text, into))
}
