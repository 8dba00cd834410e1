// Package repositories gives the domain's services their stores: one
// repository for each noun over one database.
//
// It is the only place that knows which repository serves which store. No
// statement stands here.
package repositories
