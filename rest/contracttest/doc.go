// Package contracttest validates responses against the OpenAPI document. All
// tests that call the REST facade use it; only tests import it.
package contracttest
