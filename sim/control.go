package sim

import (
	"encoding/json"
	"net/http"

	"astrolabe/sim/fault"
)

// Control serves the control endpoint, which belongs on a separate listener:
//
//	GET    /counts          number of received calls by method
//	GET    /contracts       contracts of the economy by name
//	GET    /faults          active faults
//	GET    /lies            names of the lies that a fault of kind lie can tell
//	POST   /faults          add a fault: a fault.Fault as JSON
//	DELETE /faults          remove all, or those of ?kind=…
//	POST   /mine            add {"blocks": n}
//	POST   /reorg           replace {"depth": n} blocks
func (n *Node) Control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /counts", func(w http.ResponseWriter, _ *http.Request) { respond(w, n.Counts()) })
	mux.HandleFunc("GET /contracts", func(w http.ResponseWriter, _ *http.Request) { respond(w, n.Directory()) })
	mux.HandleFunc("GET /faults", func(w http.ResponseWriter, _ *http.Request) { respond(w, n.faults.List()) })
	mux.HandleFunc("GET /lies", func(w http.ResponseWriter, _ *http.Request) { respond(w, fault.Lies) })
	mux.HandleFunc("DELETE /faults", func(w http.ResponseWriter, r *http.Request) {
		var kinds []fault.Kind
		for _, kind := range r.URL.Query()["kind"] {
			kinds = append(kinds, fault.Kind(kind))
		}
		n.ClearFaults(kinds...)
		respond(w, n.faults.List())
	})
	mux.HandleFunc("POST /faults", act(func(f fault.Fault) error { return n.Fault(f) }))
	mux.HandleFunc("POST /mine", act(func(order struct {
		Blocks int `json:"blocks"`
	}) error {
		return n.Mine(max(order.Blocks, 1))
	}))
	mux.HandleFunc("POST /reorg", act(func(order struct {
		Depth int `json:"depth"`
	}) error {
		return n.Reorg(max(order.Depth, 1))
	}))
	return mux
}

// act decodes a request and executes it.
func act[T any](do func(T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var order T
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&order); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := do(order); err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func respond(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client may have disconnected
}
