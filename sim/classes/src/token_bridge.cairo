// SPDX-License-Identifier: Apache-2.0
use starknet::ContractAddress;

#[starknet::interface]
pub trait IMintable<TState> {
    fn permissioned_mint(ref self: TState, account: ContractAddress, amount: u256);
    fn permissioned_burn(ref self: TState, account: ContractAddress, amount: u256);
}

// The L2 side of a bridge for many tokens.
#[starknet::contract]
pub mod TokenBridge {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::syscalls::{deploy_syscall, send_message_to_l1_syscall};
    use starknet::{
        ClassHash, ContractAddress, EthAddress, SyscallResultTrait, get_caller_address,
        get_contract_address
    };
    use super::{IMintableDispatcher, IMintableDispatcherTrait};

    const TRANSFER_FROM_STARKNET: felt252 = 0;

    #[storage]
    struct Storage {
        l1_bridge: EthAddress,
        token_class: ClassHash,
        l2_tokens: Map<EthAddress, ContractAddress>,
        l1_tokens: Map<ContractAddress, EthAddress>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        DepositHandled: DepositHandled,
        DepositWithMessageHandled: DepositWithMessageHandled,
        WithdrawInitiated: WithdrawInitiated,
        DeployHandled: DeployHandled,
    }

    #[derive(Drop, starknet::Event)]
    struct DepositHandled {
        #[key]
        l1_token: EthAddress,
        #[key]
        l2_recipient: ContractAddress,
        amount: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct DepositWithMessageHandled {
        #[key]
        depositor: EthAddress,
        #[key]
        l1_token: EthAddress,
        #[key]
        l2_recipient: ContractAddress,
        amount: u256,
        message: Span<felt252>,
    }

    #[derive(Drop, starknet::Event)]
    struct WithdrawInitiated {
        #[key]
        l1_token: EthAddress,
        #[key]
        l1_recipient: EthAddress,
        #[key]
        caller_address: ContractAddress,
        amount: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct DeployHandled {
        #[key]
        l1_token: EthAddress,
        #[key]
        l2_token: ContractAddress,
        name: felt252,
        symbol: felt252,
        decimals: u8,
    }

    #[constructor]
    fn constructor(ref self: ContractState, l1_bridge: EthAddress, token_class: ClassHash) {
        self.l1_bridge.write(l1_bridge);
        self.token_class.write(token_class);
    }

    #[external(v0)]
    fn get_l1_token(self: @ContractState, l2_token: ContractAddress) -> EthAddress {
        self.l1_tokens.read(l2_token)
    }

    #[external(v0)]
    fn get_l2_token(self: @ContractState, l1_token: EthAddress) -> ContractAddress {
        self.l2_tokens.read(l1_token)
    }

    #[external(v0)]
    fn initiate_token_withdraw(
        ref self: ContractState, l1_token: EthAddress, l1_recipient: EthAddress, amount: u256
    ) {
        let caller_address = get_caller_address();
        token_of(@self, l1_token).permissioned_burn(caller_address, amount);
        let payload = array![
            TRANSFER_FROM_STARKNET,
            l1_recipient.into(),
            l1_token.into(),
            amount.low.into(),
            amount.high.into()
        ];
        send_message_to_l1_syscall(self.l1_bridge.read().into(), payload.span()).unwrap_syscall();
        self.emit(WithdrawInitiated { l1_token, l1_recipient, caller_address, amount });
    }

    #[l1_handler]
    fn handle_token_deposit(
        ref self: ContractState,
        from_address: felt252,
        l1_token: EthAddress,
        depositor: EthAddress,
        l2_recipient: ContractAddress,
        amount: u256
    ) {
        assert_l1_bridge(@self, from_address);
        token_of(@self, l1_token).permissioned_mint(l2_recipient, amount);
        self.emit(DepositHandled { l1_token, l2_recipient, amount });
    }

    #[l1_handler]
    fn handle_deposit_with_message(
        ref self: ContractState,
        from_address: felt252,
        l1_token: EthAddress,
        depositor: EthAddress,
        l2_recipient: ContractAddress,
        amount: u256,
        message: Span<felt252>
    ) {
        assert_l1_bridge(@self, from_address);
        token_of(@self, l1_token).permissioned_mint(l2_recipient, amount);
        self
            .emit(
                DepositWithMessageHandled { depositor, l1_token, l2_recipient, amount, message }
            );
    }

    #[l1_handler]
    fn handle_token_deployment(
        ref self: ContractState,
        from_address: felt252,
        l1_token: EthAddress,
        name: felt252,
        symbol: felt252,
        decimals: u8
    ) {
        assert_l1_bridge(@self, from_address);
        assert(self.l2_tokens.read(l1_token).is_zero(), 'TOKEN_ALREADY_DEPLOYED');
        let this: felt252 = get_contract_address().into();
        let calldata = array![name, symbol, decimals.into(), 0, 0, this, this];
        let (l2_token, _) = deploy_syscall(
            self.token_class.read(), l1_token.into(), calldata.span(), false
        )
            .unwrap_syscall();
        self.l2_tokens.write(l1_token, l2_token);
        self.l1_tokens.write(l2_token, l1_token);
        self.emit(DeployHandled { l1_token, l2_token, name, symbol, decimals });
    }

    fn assert_l1_bridge(self: @ContractState, from_address: felt252) {
        assert(from_address == self.l1_bridge.read().into(), 'EXPECTED_FROM_BRIDGE_ONLY');
    }

    fn token_of(self: @ContractState, l1_token: EthAddress) -> IMintableDispatcher {
        let contract_address = self.l2_tokens.read(l1_token);
        assert(contract_address.is_non_zero(), 'TOKEN_NOT_IN_BRIDGE');
        IMintableDispatcher { contract_address }
    }
}
