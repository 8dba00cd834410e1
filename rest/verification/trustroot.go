package verification

import (
	"context"
	"net/http"
	"time"

	"astrolabe/rest/frame"
)

// trustRootOperation is the route of the trust root. It is public,
// because every reader of a receipt needs it.
func (h Handlers) trustRootOperation() frame.Operation {
	return frame.Operation{
		ID: "getVerificationTrustRoot", Method: http.MethodGet, Path: "/v1/verification/trust-root",
		Summary: "Get the public keys that sign verification receipts.",
		Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "max-age=60", Conditional: true,
		Success: http.StatusOK, Body: "VerificationTrustRoot",
		Proof:  []string{"TestTrustRootListsEveryKeyWithoutAKey", "TestTrustRootIsRevalidated"},
		Handle: h.trustRoot,
	}
}

func (h Handlers) trustRoot(ctx context.Context, _ *frame.Call) (any, error) {
	root, err := h.VerificationReceipts.TrustRoot(ctx)
	if err != nil {
		return nil, err
	}
	return frame.Versioned{Body: frame.Encode(root)}, nil
}
