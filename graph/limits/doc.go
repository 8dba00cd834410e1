// Package limits holds the limits on GraphQL operations and the error of an
// operation that exceeds one. It depends on nothing else of the facade.
package limits
