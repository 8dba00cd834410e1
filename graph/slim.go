package graph

import (
	"bufio"
	"net"
	"net/http"
)

// slim hands a connection over with small buffers: sockets are many, and most
// of their messages are short.
type slim struct{ http.ResponseWriter }

// socketBuffer is how many bytes a socket reads or writes at once.
const socketBuffer = 1024

// Hijack implements http.Hijacker.
func (s slim) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, both, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	if both.Reader.Buffered() == 0 { // nothing was read ahead
		both.Reader = bufio.NewReaderSize(conn, socketBuffer)
	}
	both.Writer = bufio.NewWriterSize(conn, socketBuffer)
	return conn, both, nil
}
