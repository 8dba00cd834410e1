package pg

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// handshake opens and closes a session, to check that the server responds and
// accepts this user. It speaks the few messages itself: only repo imports the
// driver, and the Debian packages have pg_isready in another package than the server.
func handshake(ctx context.Context, socketDir string) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socketPath(socketDir))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	body := "\x00\x03\x00\x00user\x00" + superuser + "\x00database\x00postgres\x00\x00"
	startup := append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)
	if _, err := conn.Write(startup); err != nil {
		return err
	}
	if err := awaitReady(bufio.NewReader(conn)); err != nil {
		return err
	}
	_, err = conn.Write([]byte{'X', 0, 0, 0, 4})
	return err
}

// awaitReady reads the server's messages until it is ready for a query.
func awaitReady(server io.Reader) error {
	for {
		var header [5]byte
		if _, err := io.ReadFull(server, header[:]); err != nil {
			return fmt.Errorf("read the server's response: %w", err)
		}
		size := binary.BigEndian.Uint32(header[1:])
		if size < 4 || size > 1<<16 {
			return errors.New("the response is not the Postgres protocol")
		}
		body := make([]byte, size-4)
		if _, err := io.ReadFull(server, body); err != nil {
			return fmt.Errorf("read the server's response: %w", err)
		}
		switch header[0] {
		case 'Z':
			return nil
		case 'E':
			return fmt.Errorf("the server rejected the session: %s", errorMessage(string(body)))
		case 'R':
			if len(body) < 4 || binary.BigEndian.Uint32(body) != 0 {
				return errors.New("the server asks for a password")
			}
		}
	}
}

// errorMessage returns the human-readable field of an error message.
func errorMessage(body string) string {
	for field := range strings.SplitSeq(body, "\x00") {
		if message, ok := strings.CutPrefix(field, "M"); ok {
			return message
		}
	}
	return "no reason given"
}
