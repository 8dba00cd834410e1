// Package verification handles the REST routes of verification jobs: creating
// one, uploading its source, reading and cancelling it, and its receipt; and those
// of the transparency log of receipts, which need no key.
//
// The domain decides everything; a job of another workspace is not_found like one
// that does not exist. Wire types that the facade's tests read are exported.
package verification
