package toolchain

import (
	"encoding/json"
	"fmt"

	"astrolabe/starknet"
)

// answerClass is the output of the compiler: a class with the names of its
// types.
type answerClass struct {
	starknet.SierraClass
	TypeNames []string
}

// UnmarshalJSON reads the compiler's form.
func (c *answerClass) UnmarshalJSON(data []byte) error {
	var debug struct {
		Info struct {
			TypeNames []typeName `json:"type_names"`
		} `json:"sierra_program_debug_info"`
	}
	if err := json.Unmarshal(data, &debug); err != nil {
		return err
	}
	c.TypeNames = make([]string, len(debug.Info.TypeNames))
	for i, name := range debug.Info.TypeNames {
		if name.id != i {
			return fmt.Errorf("type %d is named in place %d", name.id, i)
		}
		c.TypeNames[i] = name.name
	}
	return json.Unmarshal(data, &c.SierraClass)
}

// typeName is a pair in the compiler's list of names: a type's number and its name.
type typeName struct {
	id   int
	name string
}

// UnmarshalJSON reads an array of number and name.
func (n *typeName) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&n.id, &n.name})
}

// finishClass turns the output of the compiler into the class that the native
// compiler would produce for a package of that name.
func finishClass(answer []byte, packageName string) (*starknet.SierraClass, error) {
	var class answerClass
	if err := json.Unmarshal(answer, &class); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformedOutput, err)
	}
	program, err := correctProgram(class.SierraProgram, class.TypeNames, packageName)
	if err != nil {
		return nil, err
	}
	class.SierraProgram = program
	class.ABI = relink(class.ABI, packageName)
	return &class.SierraClass, nil
}
