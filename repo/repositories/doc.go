// Package repositories connects the domain's services to their stores: one
// repository per noun over one database.
//
// Only this package knows which repository implements which store. It contains
// no statements.
package repositories
