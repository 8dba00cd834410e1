package strictjson_test

import (
	"fmt"

	"astrolabe/strictjson"
)

func ExampleDecode() {
	var body struct {
		Hashes []string `json:"hashes"`
		Limit  uint64   `json:"limit,omitzero"`
	}
	for _, text := range []string{
		`{"hashes": ["0x1"], "limit": 25}`,
		`{"txHashes": ["0x1"]}`,
		`{"limit": 25}`,
	} {
		fmt.Println(strictjson.Decode([]byte(text), &body))
	}
	// Output:
	// <nil>
	// unknown key "txHashes" at "/txHashes"
	// missing key "hashes" at "/hashes"
}
