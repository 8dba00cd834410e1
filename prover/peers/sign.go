package peers

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"astrolabe/domain/secret"
)

// The uses of a key, which keep its signatures apart from each other and from the
// digests of domain/prove.
const (
	requestLabel = "astrolabe prove peer request"
	answerLabel  = "astrolabe prove peer answer"
)

// The headers of requests and answers.
const (
	timeHeader      = "X-Astrolabe-Time"  // in Unix milliseconds
	nonceHeader     = "X-Astrolabe-Nonce" // random
	signatureHeader = "X-Astrolabe-Signature"
)

// path is where a holder serves other processes.
const path = "/prove/deliver"

// question is what a request asks, and what its signature covers.
type question struct {
	Holder string `json:"holder"`
	Job    string `json:"job"`
}

func (q question) sign(key secret.Material, at, nonce string) string {
	return sign(key, requestLabel, []byte(q.Holder), []byte(q.Job), []byte(at), []byte(nonce))
}

// signAnswer signs the answer to the request with this nonce.
func signAnswer(key secret.Material, nonce string, status int, body []byte) string {
	return sign(key, answerLabel, []byte(nonce), []byte(strconv.Itoa(status)), body)
}

// sign returns the HMAC of parts. Each has its length before it, so that no two
// lists of parts are signed alike.
func sign(key secret.Material, label string, parts ...[]byte) string {
	h := hmac.New(sha256.New, key[:])
	h.Write([]byte(label))
	for _, part := range parts {
		h.Write([]byte("\x00" + strconv.Itoa(len(part)) + "\x00"))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func newNonce() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

func milliseconds(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
