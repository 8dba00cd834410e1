// SPDX-License-Identifier: Apache-2.0
// The ids of the interfaces that the collection supports (SNIP-5).
pub const ISRC5: felt252 = 0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055;
pub const IERC721: felt252 = 0x33eb2f84c309543403fd69f0d0f363781ef06ef6faeb0131ff16ea3175bd943;
