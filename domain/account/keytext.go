package account

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math/big"
	"strings"

	"astrolabe/domain"
)

// Environment is live or test.
type Environment string

// The environments, as they appear in a key's text.
const (
	Live Environment = "live"
	Test Environment = "test"
)

const (
	publicIDLength = 12
	secretLength   = 43 // 32 bytes in base 62
	checksumLength = 6  // a CRC-32 in base 62
	publicIDDigits = "0123456789abcdefghijklmnopqrstuvwxyz"
	base62Digits   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// KeyText is an API key as its owner holds it:
//
//	svc_<environment>_<publicId>_<secret><checksum>
//
// It prints masked; Reveal is the only way to the whole text.
type KeyText struct {
	Environment Environment
	PublicID    string
	secret      string
}

// NewKeyText draws a fresh key.
func NewKeyText(env Environment) KeyText {
	return KeyText{
		Environment: env,
		PublicID:    randomText(publicIDDigits, publicIDLength),
		secret:      randomSecret(),
	}
}

// ParseKeyText reads a key's text. A wrong shape or checksum is unauthorized,
// as an unknown key is: the answer does not teach the format.
func ParseKeyText(text string) (KeyText, error) {
	parts := strings.Split(text, "_")
	if len(parts) != 4 || parts[0] != "svc" {
		return KeyText{}, unrecognisedKey()
	}
	env, publicID, tail := Environment(parts[1]), parts[2], parts[3]
	wellFormed := (env == Live || env == Test) &&
		isPublicID(publicID) &&
		len(tail) == secretLength+checksumLength && strings.Trim(tail, base62Digits) == ""
	if !wellFormed {
		return KeyText{}, unrecognisedKey()
	}
	key := KeyText{Environment: env, PublicID: publicID, secret: tail[:secretLength]}
	if key.checksum() != tail[secretLength:] {
		return KeyText{}, unrecognisedKey()
	}
	return key, nil
}

// unrecognisedKey is the one answer to every key that does not open anything.
func unrecognisedKey() error {
	return domain.Errorf(domain.CodeUnauthorized, "The API key is invalid, expired or revoked.")
}

// Reveal returns the whole key, for the one moment in which its owner sees it.
func (k KeyText) Reveal() string { return k.stem() + k.checksum() }

// Hash returns the hash to store: a MAC of the key's text under a pepper.
func (k KeyText) Hash(pepper []byte) []byte {
	h := hmac.New(sha256.New, pepper)
	h.Write([]byte(k.stem()))
	return h.Sum(nil)
}

// Masked returns the key with its secret masked.
func (k KeyText) Masked() string {
	return fmt.Sprintf("svc_%s_%s_…", k.Environment, k.PublicID)
}

// Format prints the masked key for every verb.
func (k KeyText) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.Masked())) }

// LogValue keeps the secret out of structured logs.
func (k KeyText) LogValue() slog.Value { return slog.StringValue(k.Masked()) }

func (k KeyText) stem() string {
	return "svc_" + string(k.Environment) + "_" + k.PublicID + "_" + k.secret
}

func (k KeyText) checksum() string { return checksum(k.stem()) }

// checksum detects mistyped or truncated keys without a database read.
func checksum(stem string) string {
	var text [checksumLength]byte
	sum := crc32.ChecksumIEEE([]byte(stem))
	for i := checksumLength - 1; i >= 0; i-- {
		text[i] = base62Digits[sum%62]
		sum /= 62
	}
	return string(text[:])
}

func randomSecret() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails: the runtime ends the program instead
	return base62(new(big.Int).SetBytes(raw[:]), secretLength)
}

// randomText draws length digits without bias.
func randomText(digits string, length int) string {
	text := make([]byte, length)
	for i := range text {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(digits))))
		if err != nil {
			panic(err) // the source of randomness never fails
		}
		text[i] = digits[n.Int64()]
	}
	return string(text)
}

// base62 writes v with leading zeros to the given length.
func base62(v *big.Int, length int) string {
	text := make([]byte, length)
	base, digit := big.NewInt(int64(len(base62Digits))), new(big.Int)
	for i := length - 1; i >= 0; i-- {
		v.DivMod(v, base, digit)
		text[i] = base62Digits[digit.Int64()]
	}
	return string(text)
}

func isPublicID(text string) bool {
	return len(text) == publicIDLength && strings.Trim(text, publicIDDigits) == ""
}
