// SPDX-License-Identifier: Apache-2.0
// What a transaction that the token refuses reverts with.
pub const INSUFFICIENT_ALLOWANCE: felt252 = 'Insufficient ERC20 allowance';
pub const ONLY_OWNER: felt252 = 'ERC20: only owner';
