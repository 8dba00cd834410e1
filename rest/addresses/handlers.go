package addresses

import "astrolabe/domain/explorer"

// Handlers are the operations of this package. The zero value suffices to list
// them.
type Handlers struct{ *explorer.Services }
