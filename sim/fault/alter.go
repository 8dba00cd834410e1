package fault

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"astrolabe/starknet"
)

// exchanged are the values of enumerations with the ones that replace them.
var exchanged = map[string]string{
	"ACCEPTED_ON_L1": "ACCEPTED_ON_L2", "ACCEPTED_ON_L2": "ACCEPTED_ON_L1",
	"WEI": "FRI", "FRI": "WEI", "BLOB": "CALLDATA", "CALLDATA": "BLOB", "L1": "L2", "L2": "L1",
	"INVOKE": "DECLARE", "DECLARE": "INVOKE", "L1_HANDLER": "INVOKE", "DEPLOY_ACCOUNT": "INVOKE", "DEPLOY": "INVOKE",
	"function": "l1_handler", "l1_handler": "function", "constructor": "function",
}

// singular are the values of enumerations that no other value can replace.
var singular = map[string]bool{"event": true, "struct": true, "view": true}

// abiName is the start of a name in the ABI of a Sierra class.
var abiName = regexp.MustCompile(`"name"\s*:\s*"`)

// another returns a different value of the same type; false if the field has no
// other.
func another(name string, value any) (any, bool) {
	switch v := value.(type) {
	case json.Number:
		n, err := strconv.ParseUint(v.String(), 10, 64)
		return json.Number(strconv.FormatUint(n+1, 10)), err == nil
	case bool:
		return !v, true
	case string:
		return anotherText(name, v), !singular[v]
	}
	return nil, false
}

func anotherText(name, text string) string {
	if other, ok := exchanged[text]; ok {
		return other
	}
	switch {
	case strings.HasPrefix(name, "transaction.") && strings.HasSuffix(name, ".version"):
		return queryVersion(text)
	case strings.HasPrefix(text, "0x"):
		return anotherHex(text)
	case name == "class.cairo0.program":
		return anotherProgram(text)
	case name == "class.sierra.abi":
		if at := abiName.FindStringIndex(text); at != nil {
			return text[:at[1]] + "lie_" + text[at[1]:]
		}
		return text + " "
	case text == "":
		return "lie"
	}
	last := len(text) - 1 // a version, a name or a text
	return text[:last] + string(text[last]^1)
}

// queryVersion returns the version that marks a transaction as not executable,
// the only other one that the specification allows.
func queryVersion(version string) string {
	const query = "0x10000000000000000000000000000000"
	if digit, ok := strings.CutPrefix(version, query); ok {
		return "0x" + digit
	}
	return query + strings.TrimPrefix(version, "0x")
}

// anotherHex flips the lowest bit of a hexadecimal number, or the one above it
// if a felt would be out of range.
func anotherHex(text string) string {
	last := len(text) - 1
	digit, err := strconv.ParseUint(text[last:], 16, 8)
	if err != nil {
		return text + "1"
	}
	for _, bit := range []uint64{1, 2} {
		other := text[:last] + strconv.FormatUint(digit^bit, 16)
		if _, err := starknet.ParseFelt(other); err == nil {
			return other
		}
	}
	return text[:last] + strconv.FormatUint(digit^1, 16) // not a felt, such as a message hash
}
