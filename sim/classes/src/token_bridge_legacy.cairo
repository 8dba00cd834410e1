// SPDX-License-Identifier: Apache-2.0
use starknet::ContractAddress;

#[starknet::interface]
pub trait IMintable<TState> {
    fn permissioned_mint(ref self: TState, account: ContractAddress, amount: u256);
    fn permissioned_burn(ref self: TState, account: ContractAddress, amount: u256);
}

// The L2 side of a bridge for one token, with the events of Cairo 0: names in snake case and
// everything in the data.
#[starknet::contract]
pub mod TokenBridgeLegacy {
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::send_message_to_l1_syscall;
    use starknet::{ContractAddress, EthAddress, SyscallResultTrait, get_caller_address};
    use super::{IMintableDispatcher, IMintableDispatcherTrait};

    const WITHDRAW_MESSAGE: felt252 = 0;

    #[storage]
    struct Storage {
        l1_bridge: EthAddress,
        l2_token: ContractAddress,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        deposit_handled: deposit_handled,
        withdraw_initiated: withdraw_initiated,
    }

    #[derive(Drop, starknet::Event)]
    struct deposit_handled {
        account: ContractAddress,
        amount: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct withdraw_initiated {
        l1_recipient: EthAddress,
        amount: u256,
        caller_address: ContractAddress,
    }

    #[constructor]
    fn constructor(ref self: ContractState, l1_bridge: EthAddress, l2_token: ContractAddress) {
        self.l1_bridge.write(l1_bridge);
        self.l2_token.write(l2_token);
    }

    #[external(v0)]
    fn get_l1_bridge(self: @ContractState) -> EthAddress {
        self.l1_bridge.read()
    }

    #[external(v0)]
    fn get_l2_token(self: @ContractState) -> ContractAddress {
        self.l2_token.read()
    }

    #[external(v0)]
    fn initiate_withdraw(ref self: ContractState, l1_recipient: EthAddress, amount: u256) {
        let caller_address = get_caller_address();
        IMintableDispatcher { contract_address: self.l2_token.read() }
            .permissioned_burn(caller_address, amount);
        let payload = array![
            WITHDRAW_MESSAGE, l1_recipient.into(), amount.low.into(), amount.high.into()
        ];
        send_message_to_l1_syscall(self.l1_bridge.read().into(), payload.span()).unwrap_syscall();
        self.emit(withdraw_initiated { l1_recipient, amount, caller_address });
    }

    #[l1_handler]
    fn handle_deposit(
        ref self: ContractState, from_address: felt252, account: ContractAddress, amount: u256
    ) {
        assert(from_address == self.l1_bridge.read().into(), 'EXPECTED_FROM_BRIDGE_ONLY');
        IMintableDispatcher { contract_address: self.l2_token.read() }
            .permissioned_mint(account, amount);
        self.emit(deposit_handled { account, amount });
    }
}
