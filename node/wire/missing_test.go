package wire

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/starknet"
)

// TestBlockWithAMissingFieldIsRejected takes every member and every element
// of every array out of real blocks, one at a time. What is left must be
// refused, unless the specification allows the absence.
func TestBlockWithAMissingFieldIsRejected(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SN_SEPOLIA/blocks/4.json", "SN_SEPOLIA/blocks/0.json", "SN_MAIN/blocks/2.json"} {
		text := readReal(t, filepath.Join(realData(t), name))
		checked := 0
		eachOmission(t, text, func(path string, rest []byte) {
			checked++
			block, err := blockWithReceiptsShape.decode(rest)
			if err == nil {
				err = checkReceipts(&block)
			}
			if mayBeMissing := mayBeMissing(path); (err == nil) != mayBeMissing {
				t.Errorf("%s without %s: got %v, want accepted: %v", name, path, err, mayBeMissing)
			}
		})
		t.Logf("%s: %d omissions", name, checked)
	}
}

func mayBeMissing(path string) bool {
	last := path[strings.LastIndexByte(path, '/')+1:]
	// The elements of these arrays are counted by nothing.
	for _, array := range []string{"calldata", "constructor_calldata", "signature", "keys", "data", "payload", "messages_sent", "proof_facts", "paymaster_data", "account_deployment_data"} {
		if strings.Contains(path, "/"+array+"/") && last != "from_address" && last != "to_address" && last != "payload" {
			return true
		}
	}
	return last == "state_diff_length" || last == "revert_reason" || strings.HasSuffix(last, "_commitment")
}

// TestTransactionWithoutARequiredFieldIsRejected holds the lists of needed
// members against the published schema.
func TestTransactionWithoutARequiredFieldIsRejected(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "shared", "data", "openrpc", "starknet_api_openrpc.json")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published specification is not beside the repository")
	}
	var specification struct {
		Components struct {
			Schemas map[string]schema
		}
	}
	if err := json.Unmarshal(readReal(t, path), &specification); err != nil {
		t.Fatal(err)
	}
	schemas := specification.Components.Schemas
	for kind, needed := range transactionNeeds {
		name := fmt.Sprintf("%s_TXN_V%d", kind.kind, kind.version)
		if kind.kind == starknet.Deploy || kind.kind == starknet.L1Handler {
			name = string(kind.kind) + "_TXN"
		}
		required := schemas[name].requires(schemas)
		if want := transactionShape.set(strings.Join(required, " ")); len(required) == 0 || needed|transactionShape.needed != want {
			t.Errorf("%s: got the required fields %v, want those of the specification", name, required)
		}
	}
}

// schema is the part of a JSON schema that lists the required members.
type schema struct {
	Ref      string `json:"$ref"`
	Required []string
	AllOf    []schema
}

func (s schema) requires(schemas map[string]schema) []string {
	required := s.Required
	if s.Ref != "" {
		required = append(required, schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]].requires(schemas)...)
	}
	for _, part := range s.AllOf {
		required = append(required, part.requires(schemas)...)
	}
	return required
}

func TestStateUpdateWithAMissingFieldIsRejected(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SN_SEPOLIA/state_updates/56377.json", "SN_SEPOLIA/state_updates/0.json", "SN_SEPOLIA/state_updates/4.json"} {
		eachOmission(t, readReal(t, filepath.Join(realData(t), name)), func(path string, rest []byte) {
			last := path[strings.LastIndexByte(path, '/')+1:]
			isElement := strings.Trim(last, "0123456789") == ""
			_, err := stateUpdateShape.decode(rest)
			if !isElement && last != "migrated_compiled_classes" && err == nil {
				t.Errorf("%s without %s: got it accepted, want an error", name, path)
			}
		})
	}
}

// eachOmission calls found with every document that lacks one member or
// element of text, and with the place of what it lacks.
func eachOmission(t *testing.T, text []byte, found func(path string, rest []byte)) {
	t.Helper()
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, at any, replace func(any))
	walk = func(path string, at any, replace func(any)) {
		without := func(key string, shorter any) {
			replace(shorter)
			rest, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			found(path+"/"+key, rest)
			replace(at)
		}
		switch at := at.(type) {
		case map[string]any:
			for key, value := range at {
				delete(at, key)
				without(key, at)
				at[key] = value
				walk(path+"/"+key, value, func(v any) { at[key] = v })
			}
		case []any:
			for i, value := range at {
				if i > 1 { // the others are alike
					break
				}
				without(fmt.Sprint(i), append(append([]any{}, at[:i]...), at[i+1:]...))
				walk(fmt.Sprintf("%s/%d", path, i), value, func(v any) { at[i] = v })
			}
		}
	}
	walk("", document, func(v any) { document = v })
}
