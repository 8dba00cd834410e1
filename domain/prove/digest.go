package prove

import (
	"crypto/hmac"
	"crypto/sha256"
	"slices"

	"astrolabe/domain/secret"
)

// Keys returns the keys of the digests: first the one for new digests, then all
// others that may have made stored ones. Two processes must not disagree on a key
// that is in use, so a new generation must be known to all before it comes first.
type Keys func() []secret.Material

// Digest is what is stored of an idempotency key and of the request that it was
// used for: HMAC-SHA-256 under one key.
type Digest struct {
	Key     []byte
	Request []byte
}

// The uses of a key, which keep the two digests apart.
const (
	keyLabel     = "astrolabe prove idempotency key"
	requestLabel = "astrolabe prove request"
)

// digests returns the digests of a submission under every key.
func digests(keys []secret.Material, workspace, idempotencyKey string, s *Submission) []Digest {
	list := make([]Digest, len(keys))
	for i, key := range keys {
		list[i] = Digest{
			Key:     mac(key, keyLabel, []byte(workspace), []byte(idempotencyKey)),
			Request: mac(key, requestLabel, []byte(workspace), s.exact.Reveal()),
		}
	}
	return list
}

// mac authenticates parts, each of which is preceded by its digest's boundary: a
// zero byte, which no label, workspace or key contains.
func mac(key secret.Material, label string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key[:])
	h.Write([]byte(label))
	for _, part := range parts {
		h.Write([]byte{0})
		h.Write(part)
	}
	return h.Sum(nil)
}

// sameRequest reports whether one of the digests is that of the stored request.
func sameRequest(stored []byte, list []Digest) bool {
	return slices.ContainsFunc(list, func(d Digest) bool { return hmac.Equal(d.Request, stored) })
}
