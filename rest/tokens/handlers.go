package tokens

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/explorer"
	"astrolabe/rest/frame"
)

// Handlers are the operations of this package. The zero value suffices to list
// them.
type Handlers struct{ *explorer.Services }

// absent gives the not_found of every route of a token the same sentence. Other
// errors are returned unchanged.
func (h Handlers) absent(ctx context.Context, c *frame.Call, err error) error {
	if domain.CodeOf(err) != domain.CodeNotFound {
		return err
	}
	return h.Tokens.Absent(ctx, c.Chain, c.Felt("token"))
}
