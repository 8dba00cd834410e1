package event

// LookAt sets how many candidates one step of a search looks at.
func (s *Events) LookAt(candidates int) { s.candidates = candidates }
