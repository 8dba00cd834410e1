package relay

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
)

// listener is where other processes fetch results.
type listener struct {
	net.Listener
	address string         // for other processes
	roots   *x509.CertPool // that sign the certificates of other processes; nil for those of the system
	server  *http.Server
}

// listen opens the listener; nil if none is set.
func (s Settings) listen(ctx context.Context) (*listener, error) {
	if s.InternalAddr == "" {
		return nil, nil
	}
	roots, err := s.roots()
	if err != nil {
		return nil, err
	}
	certificate := func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(s.InternalCert, s.InternalKey)
		return &pair, err
	}
	if s.InternalCert != "" {
		if _, err := certificate(nil); err != nil {
			return nil, fmt.Errorf("--internal-cert: %w", err)
		}
	}
	opened, err := new(net.ListenConfig).Listen(ctx, "tcp", s.InternalAddr)
	if err != nil {
		return nil, fmt.Errorf("--internal-addr: %w", err)
	}
	host, _, _ := net.SplitHostPort(s.InternalAddr)
	_, port, _ := net.SplitHostPort(opened.Addr().String()) // --internal-addr may have left it open
	l := &listener{Listener: opened, roots: roots, address: "http://" + cmp.Or(s.InternalAdvertise, net.JoinHostPort(host, port))}
	if s.InternalCert != "" {
		l.Listener = tls.NewListener(opened, &tls.Config{GetCertificate: certificate, MinVersion: tls.VersionTLS13})
		l.address = "https" + l.address[len("http"):]
	}
	return l, nil
}

// roots reads --internal-ca.
func (s Settings) roots() (*x509.CertPool, error) {
	if s.InternalCA == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.InternalCA)
	if err != nil {
		return nil, fmt.Errorf("--internal-ca: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--internal-ca: %s has no certificate in PEM", s.InternalCA)
	}
	return roots, nil
}

// serve answers until ctx ends, then closes all connections.
func (l *listener) serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = l.server.Close() })
	defer stop()
	if err := l.server.Serve(l.Listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
