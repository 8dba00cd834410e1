// Package frame is what every route of the REST facade is built on.
//
// A noun describes each of its routes as an Operation: path, parameters,
// permission, limits, schemas, proofs, and the function that handles it. A
// Dispatcher turns the operation into an HTTP handler that admits the caller,
// checks the parameters and renders the answer or the error.
//
// The handling function gets a Call, from which it reads parameters that are
// already checked (Text, Felt, Felts, Int, Number, State), the page of a list
// that is asked for (Page) and the body (DecodeJSON). It asks one domain
// service and returns a wire type, which is encoded as JSON, or a Document,
// whose bytes exist already. Lists are rendered with RenderPage, into a
// ListBody or a CoveredListBody; batches into a BatchBody. An error that is a
// *domain.Error reaches the client with its code; any other is logged and
// rendered as internal_error.
//
// The package knows no noun: it never imports a package of handlers.
package frame
