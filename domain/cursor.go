package domain

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"time"
)

// Position is the sort key of a row, for example block, transaction and log
// index.
type Position []uint64

// lastField is the largest value of a position's fields after the first.
const lastField = math.MaxInt16

// Fits reports whether a stored row can have the position: its first field is
// a block number, the others are indexes within the block.
func (p Position) Fits() bool {
	for i, field := range p {
		if field > lastField && (i > 0 || field > math.MaxInt32) {
			return false
		}
	}
	return len(p) > 0
}

// Following returns the next position, in a list whose positions begin with a
// block number: there is none between the two.
func (p Position) Following() Position {
	next := slices.Clone(p)
	for i := len(next) - 1; i > 0; i-- {
		if next[i] < lastField {
			next[i]++
			return next
		}
		next[i] = 0
	}
	next[0]++
	return next
}

// Binding ties a cursor to one list: the route with its path and filters.
// Cursors of another list, or of the same list with other filters, do not
// decode.
type Binding [sha256.Size]byte

// Bind returns the binding of a list. Each part is length-prefixed, so that
// two lists cannot have the same binding by concatenation.
func Bind(route string, filters ...string) Binding {
	h := sha256.New()
	var length [8]byte
	for _, part := range append([]string{route}, filters...) {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return Binding(h.Sum(nil))
}

// MACKeys supplies the keys that authenticate cursors. Each key has a
// generation number, so that cursors stay valid when keys rotate.
type MACKeys interface {
	// CurrentKey returns the key to sign with.
	CurrentKey() (generation uint32, key []byte)
	// KeyOf returns the key of a generation that is still valid.
	KeyOf(ctx context.Context, generation uint32) (key []byte, ok bool)
}

// Cursors encodes and decodes cursors: opaque, versioned, bound and
// authenticated strings. They hold no secret and survive restarts, upgrades
// and key rotation.
type Cursors struct {
	keys MACKeys
	now  func() time.Time
}

// NewCursors returns a codec that uses the given keys.
func NewCursors(keys MACKeys) *Cursors {
	return &Cursors{keys: keys, now: time.Now}
}

const (
	cursorVersion   = 1
	cursorMACSize   = 16
	maxCursorText   = 512
	maxCursorFields = 16
)

// Encode returns the cursor of the page that begins after pos. The zero time
// means no expiry.
func (c *Cursors) Encode(list Binding, pos Position, expires time.Time) string {
	generation, key := c.keys.CurrentKey()
	body := []byte{cursorVersion}
	body = binary.AppendUvarint(body, uint64(generation))
	var expiry uint64
	if !expires.IsZero() {
		expiry = uint64(max(expires.Unix(), 1))
	}
	body = binary.AppendUvarint(body, expiry)
	body = binary.AppendUvarint(body, uint64(len(pos)))
	for _, field := range pos {
		body = binary.AppendUvarint(body, field)
	}
	return base64.RawURLEncoding.EncodeToString(append(body, cursorMAC(key, list, body)...))
}

// Decode returns the position in a cursor of this list. A modified, foreign or
// expired cursor is InvalidCursor.
func (c *Cursors) Decode(ctx context.Context, list Binding, text string) (Position, error) {
	if len(text) > maxCursorText {
		return nil, InvalidCursor("The cursor is longer than any that this service issues.")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) <= cursorMACSize {
		return nil, InvalidCursor("The cursor is malformed.")
	}
	body, mac := raw[:len(raw)-cursorMACSize], raw[len(raw)-cursorMACSize:]
	generation, expiry, pos, ok := parseCursor(body)
	if !ok {
		return nil, InvalidCursor("The cursor is malformed.")
	}
	key, ok := c.keys.KeyOf(ctx, generation)
	if !ok || !hmac.Equal(mac, cursorMAC(key, list, body)) {
		return nil, InvalidCursor("The cursor was not issued for this list with these filters.")
	}
	if expiry != 0 && c.now().Unix() >= int64(expiry) {
		return nil, InvalidCursor("The cursor has expired.")
	}
	return pos, nil
}

// parseCursor parses a body that is not authenticated yet, so it must accept
// any bytes without panicking.
func parseCursor(body []byte) (generation uint32, expiry uint64, pos Position, ok bool) {
	if body[0] != cursorVersion {
		return 0, 0, nil, false
	}
	rest := body[1:]
	next := func() uint64 {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			ok = false
			return 0
		}
		rest = rest[n:]
		return v
	}
	ok = true
	gen, expiry, count := next(), next(), next()
	if !ok || gen > 1<<32-1 || expiry > 1<<62 || count > maxCursorFields {
		return 0, 0, nil, false
	}
	pos = make(Position, count)
	for i := range pos {
		pos[i] = next()
	}
	return uint32(gen), expiry, pos, ok && len(rest) == 0
}

func cursorMAC(key []byte, list Binding, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(list[:])
	h.Write(body)
	return h.Sum(nil)[:cursorMACSize]
}

// InvalidCursor is the error of a cursor that cannot be continued:
// invalid_request with the page errors/invalid-cursor. The reason is a whole
// sentence.
func InvalidCursor(reason string) *Error {
	err := Errorf(CodeInvalidRequest, "invalid_cursor: %s Restart without a cursor.", reason)
	err.Doc = "errors/invalid-cursor"
	return err
}
