package verify

import (
	"encoding/json"
	"fmt"

	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// classVersion is the only version of Sierra classes. The class hash does not
// cover the field, but the candidateDigest does.
const classVersion = "0.1.0"

// classDepth is how deep the JSON of a class may be. Types of an ABI are texts, so
// that it is flat.
const classDepth = 64

// parseCandidate reads a built class. Duplicate, unknown and misspelled keys are
// errors: they would make two readers see two classes in one text.
func parseCandidate(text []byte) (*starknet.SierraClass, error) {
	var shape struct {
		Program   []starknet.Felt `json:"sierra_program"`
		DebugInfo strictjson.Raw  `json:"sierra_program_debug_info,omitempty"`
		Version   string          `json:"contract_class_version"`
		Points    struct {
			Constructor []entryPoint `json:"CONSTRUCTOR"`
			External    []entryPoint `json:"EXTERNAL"`
			L1Handler   []entryPoint `json:"L1_HANDLER"`
		} `json:"entry_points_by_type"`
		ABI strictjson.Raw `json:"abi"`
	}
	if err := strictjson.Decode(text, &shape, strictjson.AllowDepth(classDepth)); err != nil {
		return nil, err
	}
	if shape.Version != classVersion {
		return nil, fmt.Errorf("contract_class_version must be %s, got %q", classVersion, shape.Version)
	}
	var class starknet.SierraClass
	if err := json.Unmarshal(text, &class); err != nil {
		return nil, err
	}
	return &class, nil
}

type entryPoint struct {
	Selector    starknet.Felt `json:"selector"`
	FunctionIdx uint64        `json:"function_idx"`
}
