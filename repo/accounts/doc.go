// Package accounts stores workspaces, API keys, sessions, the audit log, rate
// limits, usage and the deployment's secrets. There is one repository per noun,
// and each implements the store interface that domain/account or domain/secret
// declares.
//
// A change to an account and its audit log entry commit together. Of this
// package, only the rate limiter is on the path of reads of the chain.
package accounts
