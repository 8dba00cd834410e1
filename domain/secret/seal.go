package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrOtherMaster means that stored secrets were sealed under another master
// key than the one configured.
var ErrOtherMaster = errors.New("the stored secrets were sealed with another master key")

// ErrMalformedMaster means that the configured master key is not 64 hex digits.
var ErrMalformedMaster = errors.New("a master key must be 64 hex digits (32 bytes)")

// Master is the operator's key: it seals all others and is the only secret
// that configuration must supply.
// The material is embedded so that a master key prints as redacted too.
type Master struct{ Material }

// NewMaster draws a fresh master key.
func NewMaster() Master { return Master{NewMaterial()} }

// ParseMaster reads 64 hex digits, white space around them ignored.
func ParseMaster(text string) (Master, error) {
	raw, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != Size {
		return Master{}, ErrMalformedMaster
	}
	return Master{Material(raw)}, nil
}

// Reveal writes the master key as ParseMaster reads it: for the file that
// keeps it, and for nothing else.
func (m Master) Reveal() string { return hex.EncodeToString(m.Material[:]) }

// Sealed is a key as it is stored: only the master key opens it.
type Sealed struct {
	Purpose       Purpose
	Generation    uint32
	MasterID      []byte // distinguishes a wrong master key from a damaged row
	Box           []byte // nonce and AES-256-GCM ciphertext
	CreatedAt     time.Time
	HonouredUntil time.Time
}

func (m Master) id() []byte {
	h := hmac.New(sha256.New, m.Material[:])
	h.Write([]byte("astrolabe master key id"))
	return h.Sum(nil)[:8]
}

func (m Master) aead() cipher.AEAD {
	block, err := aes.NewCipher(m.Material[:])
	if err != nil {
		panic(err) // the key size is a constant
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES blocks always fit GCM
	}
	return aead
}

// label binds a box to its row, so that rows cannot be exchanged.
func label(p Purpose, generation uint32) []byte {
	return fmt.Appendf(nil, "astrolabe secret %s %d", p, generation)
}

func (m Master) seal(k Key) Sealed {
	return Sealed{
		Purpose: k.Purpose, Generation: k.Generation, MasterID: m.id(),
		Box:       m.aead().Seal(nil, nil, k.Material[:], label(k.Purpose, k.Generation)), //nolint:gosec // the AEAD draws its own nonce
		CreatedAt: k.CreatedAt, HonouredUntil: k.HonouredUntil,
	}
}

func (m Master) sealed(s Sealed) bool { return hmac.Equal(s.MasterID, m.id()) }

func (m Master) open(s Sealed) (Key, error) {
	if !m.sealed(s) {
		return Key{}, ErrOtherMaster
	}
	plain, err := m.aead().Open(nil, nil, s.Box, label(s.Purpose, s.Generation))
	if err != nil || len(plain) != Size {
		return Key{}, fmt.Errorf("secret %s generation %d is damaged", s.Purpose, s.Generation)
	}
	return Key{
		Purpose: s.Purpose, Generation: s.Generation, Material: Material(plain),
		CreatedAt: s.CreatedAt, HonouredUntil: s.HonouredUntil,
	}, nil
}
