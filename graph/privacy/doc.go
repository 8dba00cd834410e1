// Package privacy holds the plain objects of privacy pools in the GraphQL
// schema: those that lead to no other object. The fields of package resolver
// return them.
package privacy
