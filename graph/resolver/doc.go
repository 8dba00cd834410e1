// Package resolver holds the resolvers of the GraphQL schema, one file per type.
// Plain fields are struct fields and methods; fields that lead to other objects
// are methods that load them for the whole cohort. Resolvers call only domain
// services. Package graph handles requests, limits and cost.
package resolver
