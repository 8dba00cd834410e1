// Package accounts stores who may call and how much: workspaces, API keys,
// sessions, the audit log, rate limits, usage and the deployment's secrets.
// There is one repository for each noun, and each implements the store that
// domain/account or domain/secret declares.
//
// Every change to an account and its line in the audit log commit together.
// Nothing here is on the path of a read of the chain but the rate limiter.
package accounts
