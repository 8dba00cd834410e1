package rest

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestEveryOperationHasAnExampleThatFitsItsSchema looks at the answer of every
// success: a reader of the reference sees what to expect.
func TestEveryOperationHasAnExampleThatFitsItsSchema(t *testing.T) {
	t.Parallel()
	document := loadContract(t)
	for _, op := range Table() {
		for media, content := range document.Paths.Find(op.Path).GetOperation(op.Method).Responses.Status(op.Success).Value.Content {
			if media == "application/octet-stream" {
				continue // bytes have no example in JSON
			}
			if content.Example == nil {
				t.Errorf("%s: got no example of %s, want one", op.ID, media)
				continue
			}
			schema := content.Schema.Value
			if err := schema.VisitJSON(content.Example, openapi3.VisitAsResponse(), openapi3.EnableFormatValidation()); err != nil {
				t.Errorf("example of %s: got %v, want it to fit its schema", op.ID, err)
			}
			if schema.VisitJSON(map[string]any{}) == nil {
				t.Errorf("schema of %s: got {} accepted, want it rejected", op.ID)
			}
		}
	}
}
