package frame

import (
	"net/http"

	"astrolabe/access"
	"astrolabe/domain/account"
)

// admit authenticates the caller, checks the permission and charges the rate
// limit, in this order, before the parameters are parsed. HEAD is not charged,
// but fails if the limit is exceeded. It returns the request with its caller in
// the context.
func (d *Dispatcher) admit(op Operation, w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	if !op.guarded() {
		return r, nil
	}
	caller, err := d.authenticate(op, r)
	if err == nil {
		access.RecordOf(r.Context()).Caller = caller
		r = r.WithContext(account.WithCaller(r.Context(), caller))
		err = caller.Require(op.Permission)
	}
	switch {
	case err != nil:
	case r.Method == http.MethodHead:
		err = d.Gate.Peek(r.Context(), w.Header(), op.Class)
	default:
		err = d.Gate.Charge(r.Context(), w.Header(), op.Class, 1)
	}
	if err != nil {
		access.Challenge(w.Header(), err, op.Permission)
	}
	return r, err
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
