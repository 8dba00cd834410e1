package prover

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"astrolabe/starknet"
)

// Result is the result of starknet_proveTransaction.
type Result struct {
	Proof          string          `json:"proof"`
	ProofFacts     []starknet.Felt `json:"proof_facts"`
	Messages       []Message       `json:"l2_to_l1_messages"`
	AdditionalData *AdditionalData `json:"additional_data,omitempty"`
}

// Message is a message from L2 to L1.
type Message struct {
	FromAddress starknet.Felt   `json:"from_address"`
	ToAddress   starknet.Felt   `json:"to_address"`
	Payload     []starknet.Felt `json:"payload"`
}

// AdditionalData is what the screening service adds to a proof.
type AdditionalData struct {
	Signature Attestation `json:"signature"`
}

// Attestation is the signature of the screening service on a deposit.
type Attestation struct {
	IssuedAt int64         `json:"issued_at"` // in Unix seconds
	R        starknet.Felt `json:"sig_r"`
	S        starknet.Felt `json:"sig_s"`
}

// proofBytes is the size of a simulated proof.
const proofBytes = 96 << 10

// prove returns the result for a transaction: always the same, except for the time
// of an attestation.
func prove(text []byte, block uint64, attested bool, now time.Time) Result {
	seed := Digest(text)
	var t transaction
	_ = json.Unmarshal(text, &t) // a scripted success may be for anything
	var sender starknet.Felt
	if t.SenderAddress != nil {
		sender = *t.SenderAddress
	}
	message := Message{sender, felt(seed, "to"), []starknet.Felt{starknet.PoseidonMany(t.Calldata...)}}
	short, number := starknet.MustShortString, starknet.FeltFromUint64
	result := Result{
		Proof: base64.StdEncoding.EncodeToString(noise(seed, proofBytes)),
		ProofFacts: []starknet.Felt{
			short("PROOF0"), short("VIRTUAL_SNOS"), felt(Digest(nil), "program"), short("VIRTUAL_SNOS0"),
			number(block), felt(seed, "block"), felt(Digest(nil), "config"), number(1),
			starknet.PoseidonMany(append([]starknet.Felt{message.FromAddress, message.ToAddress, number(1)}, message.Payload...)...),
		},
		Messages: []Message{message},
	}
	if attested {
		result.AdditionalData = &AdditionalData{Attestation{now.Unix(), felt(seed, "r"), felt(seed, "s")}}
	}
	return result
}

// Digest is the digest by which transactions are counted: SHA-256 of their text.
func Digest(transaction []byte) [32]byte { return sha256.Sum256(transaction) }

// felt derives a felt from a digest.
func felt(seed [32]byte, name string) starknet.Felt {
	sum := sha256.Sum256(append(seed[:], name...))
	sum[0] &= 0x07
	f, _ := starknet.FeltFromBytes(sum[:]) // below 2^251
	return f
}

// noise derives so many bytes from a digest.
func noise(seed [32]byte, size int) []byte {
	out := make([]byte, 0, size+sha256.Size)
	for i := uint64(0); len(out) < size; i++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(seed[:], i))
		out = append(out, sum[:]...)
	}
	return out[:size]
}
