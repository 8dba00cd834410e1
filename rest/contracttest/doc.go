// Package contracttest holds answers against the OpenAPI document. Every test
// that asks the REST facade for something uses it; only tests import it.
package contracttest
