package rpc

import (
	"astrolabe/domain/account"
	"astrolabe/domain/gateway"
)

// Provider is what capabilities say about the gateway.
type Provider struct {
	Endpoint           string       `json:"endpoint"`
	EndpointTemplate   string       `json:"endpointTemplate"`
	MinimumSpecVersion string       `json:"minimumSpecVersion"`
	PublicSpecVersion  string       `json:"publicSpecVersion"`
	SupportedBlockTags []string     `json:"supportedBlockTags"`
	Batch              BatchLimits  `json:"batch"`
	StorageProof       ProofLimits  `json:"storageProof"`
	Write              Guarded      `json:"write"`
	Trace              Guarded      `json:"trace"`
	QuotaClasses       []QuotaClass `json:"quotaClasses"`
}

// BatchLimits are the limits of a batch.
type BatchLimits struct {
	MaxItems         int   `json:"maxItems"`
	MaxResponseBytes int64 `json:"maxResponseBytes"`
}

// ProofLimits are the limits of a storage proof.
type ProofLimits struct {
	MaxTargets                int   `json:"maxTargets"`
	MaxClassHashes            int   `json:"maxClassHashes"`
	MaxContractAddresses      int   `json:"maxContractAddresses"`
	MaxStorageContracts       int   `json:"maxStorageContracts"`
	MaxStorageKeysPerContract int   `json:"maxStorageKeysPerContract"`
	MaxResponseBytes          int64 `json:"maxResponseBytes"`
}

// Guarded is a group of methods that need a permission of their own.
type Guarded struct {
	Permission account.Permission `json:"permission"`
	Methods    []string           `json:"methods"`
}

// QuotaClass is a rate limit of a self-serve key per 60 seconds.
type QuotaClass struct {
	Class account.Class `json:"class"`
	Limit int           `json:"limit"`
}

// Describe returns what capabilities say about the gateway.
func Describe() Provider {
	proof, _ := gateway.Lookup("starknet_getStorageProof")
	p := Provider{
		Endpoint: path, EndpointTemplate: keyedPath,
		MinimumSpecVersion: gateway.MinimumSpec, PublicSpecVersion: gateway.SpecVersion,
		SupportedBlockTags: gateway.BlockTags,
		Batch:              BatchLimits{gateway.MaxItems, gateway.MaxAnswer},
		StorageProof:       ProofLimits{gateway.MaxProofTargets, gateway.MaxProofLists, gateway.MaxProofLists, gateway.MaxProofLists, gateway.MaxProofKeys, proof.MaxAnswer()},
		Write:              Guarded{Permission: account.Write, Methods: []string{}},
		Trace:              Guarded{Permission: account.Trace, Methods: []string{}},
	}
	for _, m := range gateway.Methods {
		switch m.Permission {
		case account.Write:
			p.Write.Methods = append(p.Write.Methods, m.Name)
		case account.Trace:
			p.Trace.Methods = append(p.Trace.Methods, m.Name)
		}
	}
	for _, class := range gateway.Classes {
		p.QuotaClasses = append(p.QuotaClasses, QuotaClass{class, account.Usual[class]})
	}
	return p
}
