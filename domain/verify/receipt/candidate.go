package receipt

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// CandidateDigest returns the candidateDigest of a built class: the SHA-256 of the
// canonical JSON of its program, version, entry points and ABI, which is the
// text of the declaration. Debug information does not count. The error is that
// of a class that has no canonical JSON.
func CandidateDigest(class *starknet.SierraClass) (string, error) {
	if !utf8.ValidString(class.ABI) || !utf8.ValidString(class.ContractClassVersion) {
		return "", fmt.Errorf("%w: a text is not UTF-8", starknet.ErrMalformedClass)
	}
	points := class.EntryPointsByType
	text, err := json.Marshal(struct {
		SierraProgram        []starknet.Felt            `json:"sierra_program"`
		ContractClassVersion string                     `json:"contract_class_version"`
		EntryPointsByType    starknet.SierraEntryPoints `json:"entry_points_by_type"`
		ABI                  string                     `json:"abi"`
	}{
		orEmpty(class.SierraProgram), class.ContractClassVersion,
		starknet.SierraEntryPoints{Constructor: orEmpty(points.Constructor), External: orEmpty(points.External), L1Handler: orEmpty(points.L1Handler)},
		class.ABI,
	})
	if err != nil {
		return "", err
	}
	canonical, err := strictjson.Canonical(text)
	if err != nil {
		return "", fmt.Errorf("%w: %w", starknet.ErrMalformedClass, err)
	}
	return digestOf(canonical), nil
}

// orEmpty returns a list that JSON writes as [] instead of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
