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

// Position is the sort key of the last row that a reader has seen, for
// example block, transaction and log index.
type Position []uint64

// lastField is the largest value of a position's fields after the first.
const lastField = math.MaxInt16

// Fits tells whether a position can be one of something that is stored: its
// first field is a block, the others count what a block holds.
func (p Position) Fits() bool {
	for i, field := range p {
		if field > lastField && (i > 0 || field > math.MaxInt32) {
			return false
		}
	}
	return len(p) > 0
}

// Following returns the position right behind this one, in a list whose
// positions begin with a block: nothing lies between the two.
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

// Binding ties a cursor to one list: the route with its path and the filters.
// A cursor of another list, or of the same list with other filters, does not
// decode.
type Binding [sha256.Size]byte

// Bind derives the binding of a list from the parts that define it. The parts
// are length-prefixed, so that no two lists share one binding by
// concatenation.
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

// MACKeys supplies the keys that authenticate cursors, with the generation
// that names each, so that keys can rotate while old cursors stay good.
type MACKeys interface {
	// CurrentKey returns the key to sign with.
	CurrentKey() (generation uint32, key []byte)
	// KeyOf returns the key of a generation that is still honoured.
	KeyOf(ctx context.Context, generation uint32) (key []byte, ok bool)
}

// Cursors writes and reads cursors: opaque, versioned, bound and
// authenticated texts. They hold no secret and survive a restart, a new
// release and a rotation of their key.
type Cursors struct {
	keys MACKeys
	now  func() time.Time
}

// NewCursors makes a codec over the given keys.
func NewCursors(keys MACKeys) *Cursors {
	return &Cursors{keys: keys, now: time.Now}
}

const (
	cursorVersion   = 1
	cursorMACSize   = 16
	maxCursorText   = 512
	maxCursorFields = 16
)

// Encode writes a cursor after pos. A zero expires means that it never does.
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

// Decode returns the position that a cursor of this list holds. A changed,
// foreign or expired cursor is invalid_request with the page
// errors/invalid-cursor.
func (c *Cursors) Decode(ctx context.Context, list Binding, text string) (Position, error) {
	if len(text) > maxCursorText {
		return nil, InvalidCursor("it is too long")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) <= cursorMACSize {
		return nil, InvalidCursor("it is not one of ours")
	}
	body, mac := raw[:len(raw)-cursorMACSize], raw[len(raw)-cursorMACSize:]
	generation, expiry, pos, ok := parseCursor(body)
	if !ok {
		return nil, InvalidCursor("it is not one of ours")
	}
	key, ok := c.keys.KeyOf(ctx, generation)
	if !ok || !hmac.Equal(mac, cursorMAC(key, list, body)) {
		return nil, InvalidCursor("it was not issued for this list and these filters")
	}
	if expiry != 0 && c.now().Unix() >= int64(expiry) {
		return nil, InvalidCursor("it has expired")
	}
	return pos, nil
}

// parseCursor reads a body that is not yet known to be authentic: it must
// stay within bounds whatever it is given.
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

// InvalidCursor refuses a cursor: invalid_request with the page
// errors/invalid-cursor.
func InvalidCursor(why string) *Error {
	err := Errorf(CodeInvalidRequest, "invalid_cursor: %s; restart without a cursor", why)
	err.Doc = "errors/invalid-cursor"
	return err
}
