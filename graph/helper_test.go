package graph

import (
	"encoding/base64"

	"astrolabe/domain"
	"astrolabe/graph/exec"
)

// schema is the one that is served.
var schema = exec.NewExecutableSchema(exec.Config{}).Schema()

// The types of global ids.
const (
	chainType       = "Chain"
	blockType       = "Block"
	transactionType = "Transaction"
	contractType    = "Contract"
	classType       = "ContractClass"
	tokenType       = "Token"
	addressType     = "Address"
	messageType     = "Message"
)

// globalID is what an id holds.
type globalID struct {
	Type  string
	Chain domain.Chain
	Key   string
}

// String writes the id.
func (id globalID) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(id.Type + ":" + string(id.Chain) + ":" + id.Key))
}
