// Package strictjson reads and writes JSON where a lenient parser would be a
// security risk: request bodies, signed receipts, idempotency digests.
//
// Decode accepts exactly one value whose every key is expected, spelled
// exactly, present once and not null by accident. Integer reads any integral
// spelling of an unsigned number. Canonical writes RFC 8785 form and rejects
// what that form would change. Digest identifies a document regardless of key
// order. Depth is limited before anything is parsed, exponents before any
// arithmetic.
//
// Canonical, Digest and Integer have no callers yet: the contract needs them for
// signed receipts, for comparing retried requests and for uploadByteLength.
//
// It depends only on one JSON library, which it hides. It knows no field names,
// ranges or rules of any particular document, and its errors never quote a
// value, because bodies may contain secrets.
package strictjson
