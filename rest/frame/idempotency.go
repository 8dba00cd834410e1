package frame

import "astrolabe/domain"

// idempotencyHeader is the name of the header. HTTP compares names of headers
// without regard to case, and their values with it.
const idempotencyHeader = "Idempotency-Key"

// IdempotencyKey returns the idempotency key of a request. Without the header it
// is idempotency_key_required; an empty or repeated header is
// invalid_idempotency_key. The domain checks its form.
func (c *Call) IdempotencyKey() (string, error) {
	switch given := c.request.Header[idempotencyHeader]; {
	case len(given) == 0:
		return "", domain.Errorf(domain.CodeIdempotencyKeyRequired, "The header %s is required. Send a new key for each new request.", idempotencyHeader)
	case len(given) > 1:
		return "", domain.Errorf(domain.CodeInvalidIdempotencyKey, "The header %s must be sent once, got %d times.", idempotencyHeader, len(given))
	case given[0] == "":
		return "", domain.Errorf(domain.CodeInvalidIdempotencyKey, "The header %s must not be empty.", idempotencyHeader)
	default:
		return given[0], nil
	}
}

// Replayed is the answer to a request that was carried out before, and that
// changed nothing now. Its status is Operation.Replay.
type Replayed struct{ Body any }
