// Package verify holds what is known of contract verification: which classes
// were rebuilt exactly from source, and under which signed receipt.
//
// A record is public and small. The receipt itself, the source and the job that
// led to it belong to a workspace and are not here.
package verify
