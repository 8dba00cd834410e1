package starknet

import "github.com/consensys/gnark-crypto/ecc/stark-curve/fp"

// curvePoint is a point of the Stark curve y² = x³ + x + β.
type curvePoint struct{ x, y fp.Element }

// curveSum is a point of the Stark curve in Jacobian coordinates, which stand
// for (x/z², y/z³): points are added in them without a division.
type curveSum struct{ x, y, z fp.Element }

func sumOf(p *curvePoint) curveSum { return curveSum{p.x, p.y, fp.One()} }

// abscissa returns the x coordinate of the sum as a point.
func (s *curveSum) abscissa() (x fp.Element) {
	x.Inverse(&s.z)
	x.Square(&x)
	x.Mul(&x, &s.x)
	return x
}

// add adds a point to the sum. Neither may be the point at infinity.
func (s *curveSum) add(p *curvePoint) {
	var zz, width, rise, square, cube, v fp.Element
	zz.Square(&s.z)
	width.Mul(&p.x, &zz).Sub(&width, &s.x)
	rise.Mul(&p.y, &s.z).Mul(&rise, &zz).Sub(&rise, &s.y)
	if width.IsZero() && rise.IsZero() {
		*s = twice(p)
		return
	}
	square.Square(&width)
	cube.Mul(&square, &width)
	v.Mul(&s.x, &square)
	s.x.Square(&rise).Sub(&s.x, &cube).Sub(&s.x, &v).Sub(&s.x, &v)
	cube.Mul(&cube, &s.y)
	s.y.Sub(&v, &s.x).Mul(&s.y, &rise).Sub(&s.y, &cube)
	s.z.Mul(&s.z, &width)
}

// twice returns p + p.
func twice(p *curvePoint) (s curveSum) {
	var slope, square, v, one fp.Element
	one.SetOne()
	slope.Square(&p.x)
	v.Double(&slope)
	slope.Add(&slope, &v).Add(&slope, &one) // 3x² + 1
	s.z.Double(&p.y)
	square.Square(&s.z)
	v.Mul(&p.x, &square) // 4xy²
	s.x.Square(&slope).Sub(&s.x, &v).Sub(&s.x, &v)
	square.Square(&square).Halve() // 8y⁴
	s.y.Sub(&v, &s.x).Mul(&s.y, &slope).Sub(&s.y, &square)
	return s
}

// points returns the sums as points, by one division for all of them.
func points(sums []curveSum) []curvePoint {
	heights := make([]fp.Element, len(sums))
	for i := range sums {
		heights[i] = sums[i].z
	}
	inverses := fp.BatchInvert(heights)
	all := make([]curvePoint, len(sums))
	for i := range sums {
		var square fp.Element
		square.Square(&inverses[i])
		all[i].x.Mul(&sums[i].x, &square)
		all[i].y.Mul(&sums[i].y, &square).Mul(&all[i].y, &inverses[i])
	}
	return all
}
