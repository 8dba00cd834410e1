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
			if content.Example == nil {
				t.Errorf("%s has no example of %s", op.ID, media)
				continue
			}
			schema := content.Schema.Value
			if err := schema.VisitJSON(content.Example, openapi3.VisitAsResponse(), openapi3.EnableFormatValidation()); err != nil {
				t.Errorf("the example of %s: %v", op.ID, err)
			}
			if schema.VisitJSON(map[string]any{}) == nil {
				t.Errorf("the schema of %s takes anything", op.ID)
			}
		}
	}
}
