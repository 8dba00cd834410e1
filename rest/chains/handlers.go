package chains

import "astrolabe/domain/explorer"

// Handlers answer the operations of this package. The zero value is enough to
// list them.
type Handlers struct{ *explorer.Services }
