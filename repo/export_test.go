package repo

import (
	"context"
	"fmt"
)

// OpenRanges makes so many ready ranges of SN_MAIN, each of so many blocks, in
// an empty database. Tests outside of this package set it, which may import
// the writing of the index.
var OpenRanges func(ctx context.Context, url string, blocks, ranges int) error

// SearchStatements are exported for the test that looks at their plans, with the
// chain in place and lists of 25.
var SearchStatements = map[string]string{
	"search.block":           fmt.Sprintf(searchBlock, 1),
	"search.transaction":     fmt.Sprintf(searchTransaction, 1),
	"search.class":           fmt.Sprintf(searchClass, 1),
	"search.addresses":       fmt.Sprintf(searchAddresses, 1),
	"search.token by symbol": fmt.Sprintf(tokensBeginning, 1, "symbol", 10),
	"search.token by name":   fmt.Sprintf(tokensBeginning, 1, "name", 10),
}
