// Package verify holds the verification records of classes: which were rebuilt
// exactly from source, and the signed receipt.
//
// A record is public and small. The receipt itself, the source and the job that
// led to it belong to a workspace and are not here.
package verify
