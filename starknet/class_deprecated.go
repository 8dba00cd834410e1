package starknet

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// DeprecatedClass is a Cairo 0 class.
type DeprecatedClass struct {
	// Program is the compiled program's JSON, compressed and in base64.
	Program           string                `json:"program"`
	EntryPointsByType DeprecatedEntryPoints `json:"entry_points_by_type"`
	ABI               json.RawMessage       `json:"abi,omitempty"`
}

// DeprecatedEntryPoints lists a Cairo 0 class's entry points.
type DeprecatedEntryPoints struct {
	Constructor []DeprecatedEntryPoint `json:"CONSTRUCTOR"`
	External    []DeprecatedEntryPoint `json:"EXTERNAL"`
	L1Handler   []DeprecatedEntryPoint `json:"L1_HANDLER"`
}

// DeprecatedEntryPoint maps a selector to an offset in the program's bytecode.
type DeprecatedEntryPoint struct {
	Offset   Felt `json:"offset"`
	Selector Felt `json:"selector"`
}

// maxProgramSize limits the decompressed program, so that a small body cannot
// cause a large allocation. The largest real programs have some megabytes.
const maxProgramSize = 64 << 20

// Hash returns the class hash, or ErrMalformedClass when the program cannot be read.
func (c *DeprecatedClass) Hash() (Felt, error) {
	text, err := c.programText()
	if err != nil {
		return Felt{}, fmt.Errorf("%w: program: %w", ErrMalformedClass, err)
	}
	var program struct {
		Builtins []string `json:"builtins"`
		Data     []Felt   `json:"data"`
	}
	if err := json.Unmarshal(text, &program); err != nil {
		return Felt{}, fmt.Errorf("%w: program: %w", ErrMalformedClass, err)
	}
	builtins := make([]Felt, len(program.Builtins))
	for i, name := range program.Builtins {
		if builtins[i], err = ShortString(name); err != nil {
			return Felt{}, fmt.Errorf("%w: builtin: %w", ErrMalformedClass, err)
		}
	}
	hinted, err := hintedClassHash(text, c.ABI)
	if err != nil {
		return Felt{}, fmt.Errorf("%w: %w", ErrMalformedClass, err)
	}
	return PedersenMany(
		Felt{}, // version of the class format
		hashDeprecatedEntryPoints(c.EntryPointsByType.External),
		hashDeprecatedEntryPoints(c.EntryPointsByType.L1Handler),
		hashDeprecatedEntryPoints(c.EntryPointsByType.Constructor),
		PedersenMany(builtins...),
		hinted,
		PedersenMany(program.Data...),
	), nil
}

// CanonicalABI returns the ABI of a Cairo 0 class in one form for all texts that
// give the same class hash: compact, with sorted keys and in ASCII. Some nodes
// store it with other spaces or in another order. A text that is no JSON stays
// as it is.
func CanonicalABI(text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	abi, err := decodePythonJSON(text)
	if err != nil {
		return text
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, appendPython(nil, abi)); err != nil {
		return text
	}
	return compact.Bytes()
}

func (c *DeprecatedClass) programText() ([]byte, error) {
	reader, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(c.Program)))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxProgramSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxProgramSize {
		return nil, fmt.Errorf("more than %d bytes", maxProgramSize)
	}
	return text, nil
}

func hashDeprecatedEntryPoints(points []DeprecatedEntryPoint) Felt {
	felts := make([]Felt, 0, 2*len(points))
	for _, p := range points {
		felts = append(felts, p.Selector, p.Offset)
	}
	return PedersenMany(felts...)
}

// hintedClassHash hashes ABI and program in the JSON format of the compiler
// that wrote them.
func hintedClassHash(programText, abiText []byte) (Felt, error) {
	document, err := decodePythonJSON(programText)
	if err != nil {
		return Felt{}, fmt.Errorf("program: %w", err)
	}
	program, ok := document.(map[string]any)
	if !ok {
		return Felt{}, fmt.Errorf("program is not an object")
	}
	var abi any
	if len(abiText) > 0 {
		if abi, err = decodePythonJSON(abiText); err != nil {
			return Felt{}, fmt.Errorf("abi: %w", err)
		}
	}
	restoreHashedProgram(program)
	return Keccak(appendPython(nil, map[string]any{"abi": abi, "program": program})), nil
}

// restoreHashedProgram converts a program to the form that is hashed: without
// debug information, without fields that older compilers omitted when empty,
// and with the older format of named tuples if the compiler's version is
// missing.
func restoreHashedProgram(program map[string]any) {
	program["debug_info"] = nil
	if hints, ok := program["hints"].(map[string]any); ok {
		program["hints"] = numericKeys(hints)
	}
	attributes, _ := program["attributes"].([]any)
	if len(attributes) == 0 {
		delete(program, "attributes")
	}
	for _, attribute := range attributes {
		if fields, ok := attribute.(map[string]any); ok {
			if scopes, _ := fields["accessible_scopes"].([]any); len(scopes) == 0 {
				delete(fields, "accessible_scopes")
			}
			if fields["flow_tracking_data"] == nil {
				delete(fields, "flow_tracking_data")
			}
		}
	}
	if program["compiler_version"] == nil {
		delete(program, "compiler_version")
		spaceTupleNames(program["identifiers"])
		spaceTupleNames(program["reference_manager"])
	}
}

// spaceTupleNames rewrites the types in v from "(a: felt)" to the older "(a : felt)".
func spaceTupleNames(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			spaceTupleNames(item)
		}
	case map[string]any:
		for key, item := range v {
			if text, ok := item.(string); ok && (key == "cairo_type" || key == "value") {
				text = strings.ReplaceAll(text, " : ", ": ")
				v[key] = strings.ReplaceAll(text, ": ", " : ")
			} else {
				spaceTupleNames(item)
			}
		}
	}
}
