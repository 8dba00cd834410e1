// Package strictjson reads and writes JSON where a lenient reader would be a
// hole: request bodies, signed receipts, idempotency digests.
//
// Decode accepts exactly one value whose every key is expected, spelled exactly,
// present once and not null by accident. Integer reads any integral spelling of
// an unsigned number. Canonical writes RFC 8785 form and refuses what that form
// would change. Digest names a document regardless of key order. Depth is bounded
// before anything is parsed, exponents before any arithmetic.
//
// Canonical, Digest and Integer have no callers yet: the contract needs them for
// signed receipts, for comparing retried requests and for uploadByteLength.
//
// It is a leaf over one JSON library, which stays hidden behind this API. It
// holds no field names, ranges or rules of any particular document, and its
// errors never quote a value: bodies may hold secrets.
package strictjson
