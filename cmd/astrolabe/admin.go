package main

import (
	"context"
	"net"
	"net/http"

	"astrolabe/httpserver"
	"astrolabe/telemetry"
)

// admin is the listener for operators: metrics, profiles and health. Every
// long-running command has one.
type admin struct {
	listener net.Listener // nil when there is none
	server   *http.Server
}

// listenAdmin opens the admin listener. An empty address disables it.
func (d *deployment) listenAdmin(ctx context.Context, address string) (*admin, error) {
	if address == "" {
		return &admin{}, nil
	}
	listener, err := listenOn(ctx, address, "--admin-addr")
	if err != nil {
		return nil, err
	}
	if peer, ok := listener.Addr().(*net.TCPAddr); ok && !peer.IP.IsLoopback() {
		d.logger.Warn("other machines can reach the admin address, which serves metrics and profiles without authentication; "+
			"restrict it with a firewall, or set --admin-addr to a loopback address", "address", peer.String())
	}
	return &admin{listener: listener, server: httpserver.New(telemetry.AdminHandler(d.metrics, d.health), d.logger)}, nil
}

// serve answers until close.
func (a *admin) serve() {
	if a.listener != nil {
		_ = a.server.Serve(a.listener) // ends with close
	}
}

func (a *admin) close() {
	if a.listener != nil {
		_ = a.server.Close()
		_ = a.listener.Close() // in case serve was never called
	}
}

func (a *admin) url() string {
	if a.listener == nil {
		return ""
	}
	return urlOf(a.listener)
}

// urlOf returns a URL for clients on this machine. A listener on every interface
// is reached through the loopback interface.
func urlOf(l net.Listener) string {
	address, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return "http://" + l.Addr().String()
	}
	callable := *address
	if callable.IP.IsUnspecified() {
		callable.IP = net.IPv6loopback
		if address.IP.To4() != nil {
			callable.IP = net.IPv4(127, 0, 0, 1)
		}
	}
	return "http://" + callable.String()
}
