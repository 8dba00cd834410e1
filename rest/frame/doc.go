// Package frame is the foundation of all routes of the REST facade.
//
// Each route is described as an Operation: path, parameters, permission, limits,
// schemas, tests, and its handler. A Dispatcher turns the operation into an HTTP
// handler that authorises the caller, validates the parameters and renders the
// response or the error.
//
// The operation's handler gets a Call, from which it reads validated parameters
// (Text, Felt, Felts, Int, Number, State), the requested page of a list (Page)
// and the body (DecodeJSON, or Upload for a stream). It calls one domain service and returns a wire
// type, which is encoded as JSON, or a Document, which is already encoded, or a
// Versioned body, which clients may revalidate, or a Replayed one. Lists
// are rendered with RenderPage, into a ListBody or a CoveredListBody; batches
// into a BatchBody. A *domain.Error reaches the client; any other error is logged
// and rendered as internal_error.
//
// The package never imports a package of handlers.
package frame
