package frame

import (
	"net/http"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
)

// admit authenticates the caller, checks the permission and charges the rate
// limit, in this order, before the parameters are parsed. HEAD is charged like
// GET, because it does the same work. It returns the request with its caller in
// the context.
func (d *Dispatcher) admit(op Operation, w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	if op.Personal {
		return d.identify(r)
	}
	if !op.guarded() {
		return r, nil
	}
	caller, err := d.authenticate(op, r)
	if err == nil {
		record := access.RecordOf(r.Context())
		record.Caller, record.Class = caller, op.Class
		r = r.WithContext(account.WithCaller(r.Context(), caller))
		err = caller.Require(op.Permission)
	}
	if err == nil && op.Metered() {
		err = d.Gate.Charge(r.Context(), w.Header(), op.Class, 1)
	}
	if err != nil {
		access.Challenge(w.Header(), err, op.Permission)
	}
	return r, err
}

// identify puts the caller of an operation that requires none into the context.
// Credentials that are missing or invalid leave the request anonymous.
func (d *Dispatcher) identify(r *http.Request) (*http.Request, error) {
	caller, err := d.Gate.Caller(r, access.Credentials{})
	switch {
	case err == nil:
		return r.WithContext(account.WithCaller(r.Context(), caller)), nil
	case Status(domain.CodeOf(err)) >= http.StatusInternalServerError:
		return r, err
	}
	return r, nil
}

func (d *Dispatcher) authenticate(op Operation, r *http.Request) (*account.Caller, error) {
	if !op.Session {
		return d.Gate.Caller(r, access.Credentials{})
	}
	caller, err := d.Gate.Session(r)
	if err != nil {
		return nil, err
	}
	return caller, d.Gate.CheckOrigin(r, d.Origins)
}
