package accounts

import (
	"astrolabe/access"
	"astrolabe/domain/account"
)

// Handlers answer the operations of this package. The zero value is enough to
// list them.
type Handlers struct {
	Gate  *access.Gate
	Usage *account.Usage
}
