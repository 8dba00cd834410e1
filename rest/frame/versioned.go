package frame

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// Versioned is a JSON body that clients may keep and revalidate: RFC 9110,
// section 13. An operation that answers with it is marked Conditional.
type Versioned struct {
	Body []byte
	// Modified is sent as Last-Modified, in whole seconds. If it is zero, clients
	// revalidate by ETag alone.
	Modified time.Time
}

// write sends the body, or 304 if the client has it already.
//
// It does not call http.ServeContent, which leaves Last-Modified out of a 304,
// reads only the first line of a condition, answers If-Match with 412, and offers
// ranges.
func (v Versioned) write(w http.ResponseWriter, r *http.Request, status int) {
	tag, modified := v.tag(), v.Modified.UTC().Truncate(time.Second)
	w.Header().Set("ETag", tag)
	if !modified.IsZero() {
		w.Header().Set("Last-Modified", modified.Format(http.TimeFormat))
	}
	if known(r.Header, tag, modified) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	Write(w, r, status, JSONMedia, v.Body)
}

// tag returns the entity tag of the body. It is weak, because the compressed and
// the uncompressed body share it.
func (v Versioned) tag() string {
	sum := sha256.Sum256(v.Body)
	return `W/"sha256-` + hex.EncodeToString(sum[:]) + `"`
}

// known reports whether the client has the current body. A request with
// If-None-Match is judged by that header alone, even a malformed one.
func known(request http.Header, tag string, modified time.Time) bool {
	if tags := request.Values("If-None-Match"); len(tags) > 0 {
		return names(strings.Join(tags, ","), tag)
	}
	dates := request.Values("If-Modified-Since")
	if modified.IsZero() || len(dates) != 1 { // RFC 9110 ignores a list of dates
		return false
	}
	since, err := http.ParseTime(dates[0])
	return err == nil && !modified.After(since)
}

// names reports whether a list of entity tags has a tag by weak comparison, or a
// star. Like net/http it reads the list up to the first malformed member.
func names(list, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for {
		list = strings.TrimLeft(list, " \t\r\n,")
		if strings.HasPrefix(list, "*") {
			return true
		}
		quoted, ok := strings.CutPrefix(strings.TrimPrefix(list, "W/"), `"`)
		if !ok {
			return false
		}
		text, rest, closed := strings.Cut(quoted, `"`)
		if !closed || strings.ContainsFunc(text, notInTag) {
			return false
		}
		if `"`+text+`"` == opaque {
			return true
		}
		list = rest
	}
}

// notInTag reports whether an entity tag cannot contain a character.
func notInTag(c rune) bool { return c <= ' ' || c == 0x7f }
