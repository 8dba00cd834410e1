package frame

import (
	"testing"

	"astrolabe/domain"
)

func TestErrorsNameTheParametersOfTheOperation(t *testing.T) {
	t.Parallel()
	op := Operation{IdempotencyKey: "^.$", Params: []Param{ChainParam, {Name: "from_block", In: InQuery}, {Name: "txHash", In: InQuery}}}
	for argument, want := range map[domain.Argument]string{
		"fromBlock":      "invalid_request: from_block is required.",
		"txHash":         "invalid_request: txHash is required.",
		"idempotencyKey": "invalid_request: Idempotency-Key is required.",
		"ownerAddress":   "invalid_request: ownerAddress is required.", // a field of the body
	} {
		if got := op.named(domain.Errorf(domain.CodeInvalidRequest, "%s is required.", argument)).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
