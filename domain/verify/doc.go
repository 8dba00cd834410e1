// Package verify decides on the exact verification of contracts: which classes
// were rebuilt from source, and the jobs that rebuild them.
//
// A Record is public and small. A Job belongs to a workspace, which describes
// what to build in a Package, uploads the source and reads the outcome; no other
// workspace learns of it. States and Transitions are the table of a job's life, which
// docs/verification.md draws.
//
// Builds hands queued jobs to builders, which are processes apart, and takes
// their results; a Lease decides whose result counts.
//
// The rules of source archives are in the packages archive and source, and signed
// receipts in the package receipt; they know nothing of jobs.
package verify
