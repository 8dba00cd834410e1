package gateway

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestParamsAreNotDecodedToFindOne measures what the gateway allocates for the
// longest params. It is not parallel: it measures the process.
func TestParamsAreNotDecodedToFindOne(t *testing.T) {
	const size = 9 << 20
	array := "[" + strings.Repeat(`"0x1",`, size/6) + `"0x1"]`
	members := new(strings.Builder)
	for i := 0; members.Len() < size; i++ {
		fmt.Fprintf(members, `"%x":1,`, i)
	}
	call, _ := Lookup("starknet_call")
	proof, _ := Lookup("starknet_getStorageProof")
	for name, act := range map[string]func(){
		"a block by place": func() { blockOf(call, json.RawMessage(array)) },
		"a block by name":  func() { blockOf(call, json.RawMessage(`{"request":`+array+`,"block_id":{"block_number":7}}`)) },
		"a storage proof":  func() { proof.checkParams(json.RawMessage(`["latest",` + array + `]`)) },
		"a batch":          func() { _, _, _ = Parse([]byte("[" + strings.Repeat("1,", size/2) + "1]")) },
		"many members":     func() { _, _, _ = Parse([]byte(`{"params":{` + members.String() + `"a":1}}`)) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		act()
		runtime.ReadMemStats(&after)
		// The text itself is copied once to build it, and at most once more.
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(4*size); got > most {
			t.Errorf("%s: got %d MB for %d MB of params, want at most %d MB", name, got>>20, size>>20, most>>20)
		}
	}
}
