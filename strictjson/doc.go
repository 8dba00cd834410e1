// Package strictjson reads JSON where a lenient parser would be a security risk:
// request bodies, files of the operator, signed receipts and responses of other
// servers.
//
// Decode accepts exactly one value whose every key is expected, spelled
// exactly, present once and not null by accident. Elements splits an array, so
// that each element can be decoded by itself. Integer reads any integral spelling
// of an unsigned number. Canonical writes RFC 8785 form and rejects what that
// form would change, and Exact writes a form that is equal for equal values, whatever
// their numbers. Depth is limited before anything is parsed, exponents before
// any arithmetic.
//
// It depends only on one JSON library, which it hides. It knows no field names,
// ranges or rules of any particular document, and its errors never quote a
// value, because bodies may contain secrets.
package strictjson
