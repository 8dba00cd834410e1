package httpserver

import (
	"bytes"
	"strconv"
)

// refusalHeaders are those of net/http's own response to a request that it
// cannot parse. It writes that response to the connection at once and calls no
// handler, so that the connection is the only place to replace it.
const refusalHeaders = "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// refusedStatus returns the status of net/http's own response to a request that
// it cannot parse, and false for every other response.
func refusedStatus(response []byte) (status int, refused bool) {
	line, rest, _ := bytes.Cut(response[:min(len(response), 512)], []byte("\r\n"))
	after, ours := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ours || len(after) < 3 || !bytes.HasPrefix(rest, []byte(refusalHeaders)) {
		return 0, false
	}
	status, err := strconv.Atoi(string(after[:3]))
	return status, err == nil
}
