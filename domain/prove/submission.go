package prove

import (
	"errors"
	"strconv"
	"strings"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

const (
	// MaxBody is the maximum size of a submission in bytes.
	MaxBody = 1 << 20
	// maxMembers is the maximum number of members of an object. Real transactions
	// have about twenty.
	maxMembers = 4096
)

// KeyForm is the form of an idempotency key.
const KeyForm = `^[!#-~]{16,128}$`

const (
	minKey = 16
	maxKey = 128
)

// CheckKey checks the form of an idempotency key: 16 to 128 graphic ASCII
// characters without space and double quote. An empty one is
// idempotency_key_required, a malformed one invalid_idempotency_key.
func CheckKey(key string) error {
	const form = "16 to 128 graphic ASCII characters, without spaces and double quotes"
	if key == "" {
		return domain.Errorf(domain.CodeIdempotencyKeyRequired, "%s is required: %s.", domain.Argument("idempotencyKey"), form)
	}
	graphic := func(r rune) bool { return r > ' ' && r <= '~' && r != '"' }
	if len(key) < minKey || len(key) > maxKey || strings.IndexFunc(key, func(r rune) bool { return !graphic(r) }) >= 0 {
		return domain.Errorf(domain.CodeInvalidIdempotencyKey, "%s must have %s.", domain.Argument("idempotencyKey"), form)
	}
	return nil
}

// Submission is a request for a proof.
type Submission struct {
	Block       uint64
	transaction Private
	exact       Private // of the whole body: equal for equal submissions
}

// ParseSubmission reads a body. Only the envelope, the type of the transaction
// and the block number are checked. Faults are invalid_request, and a body beyond
// MaxBody is payload_too_large. Messages quote nothing of the transaction.
func ParseSubmission(body []byte) (*Submission, error) {
	if len(body) > MaxBody {
		return nil, domain.Errorf(domain.CodePayloadTooLarge, "A submission must have at most %d bytes, got %d.", MaxBody, len(body))
	}
	if strictjson.Crowded(body, maxMembers) {
		return nil, refuse("An object of the request body has more than %d members.", maxMembers)
	}
	var b struct {
		BlockID struct {
			Number strictjson.Integer `json:"block_number"`
		} `json:"block_id"`
		Transaction strictjson.Raw `json:"transaction"`
	}
	if e, ok := errors.AsType[*strictjson.Error](strictjson.Decode(body, &b)); ok {
		return nil, bodyError(e)
	}
	var t struct {
		Type string `json:"type"`
	}
	if err := strictjson.Decode(b.Transaction, &t, strictjson.AllowUnknownKeys()); err != nil || t.Type != "INVOKE" {
		return nil, refuse("transaction must be an object whose type is INVOKE.")
	}
	exact, err := strictjson.Exact(body)
	if err != nil { // its other faults are excluded above
		return nil, refuse("A number in the request body has an exponent beyond four digits.")
	}
	return &Submission{uint64(b.BlockID.Number), Conceal(b.Transaction), Conceal(exact)}, nil
}

// Params returns the parameters of starknet_proveTransaction, with the transaction
// byte for byte.
func (s *Submission) Params() Private {
	transaction := s.transaction.Reveal()
	b := make([]byte, 0, 64+len(transaction))
	b = append(b, `{"block_id":{"block_number":`...)
	b = strconv.AppendUint(b, s.Block, 10)
	b = append(b, `},"transaction":`...)
	return Conceal(append(append(b, transaction...), '}'))
}

func refuse(format string, args ...any) error {
	return domain.Errorf(domain.CodeInvalidRequest, format, args...)
}

// bodyError is the error of a body without the form of a submission. Inside of
// the transaction it names no key: that may be a part of a secret.
func bodyError(e *strictjson.Error) error {
	const form = `The request body must be {"block_id": {"block_number": integer}, "transaction": {…}}`
	if e.Path == "/transaction" || strings.HasPrefix(e.Path, "/transaction/") {
		if e.Kind == strictjson.DuplicateKey {
			return refuse("An object inside transaction has a duplicate key.")
		}
		if e.Kind == strictjson.MissingKey {
			return refuse("%s: transaction is missing.", form)
		}
		return refuse("transaction is not valid JSON.")
	}
	switch e.Kind {
	case strictjson.UnknownKey, strictjson.WrongCaseKey, strictjson.MissingKey, strictjson.DuplicateKey,
		strictjson.TypeMismatch, strictjson.NotIntegral, strictjson.NumberOutOfRange, strictjson.InvalidValue:
		return refuse("%s: %s.", form, e.Error())
	case strictjson.Syntax, strictjson.InvalidUTF8, strictjson.TrailingData, strictjson.TooDeep:
	}
	return refuse("The request body must be JSON: %s.", e.Message)
}
