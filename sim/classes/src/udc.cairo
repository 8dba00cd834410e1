// SPDX-License-Identifier: Apache-2.0

// The universal deployer with the names of its second version; the event's layout is the same.
#[starknet::contract]
pub mod Udc {
    use core::hash::HashStateTrait;
    use core::pedersen::PedersenTrait;
    use starknet::syscalls::deploy_syscall;
    use starknet::{ClassHash, ContractAddress, SyscallResultTrait, get_caller_address};

    #[storage]
    struct Storage {}

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        ContractDeployed: ContractDeployed,
    }

    #[derive(Drop, starknet::Event)]
    struct ContractDeployed {
        address: ContractAddress,
        deployer: ContractAddress,
        not_from_zero: bool,
        class_hash: ClassHash,
        calldata: Span<felt252>,
        salt: felt252,
    }

    #[external(v0)]
    fn deploy_contract(
        ref self: ContractState,
        class_hash: ClassHash,
        salt: felt252,
        not_from_zero: bool,
        calldata: Span<felt252>
    ) -> ContractAddress {
        let deployer = get_caller_address();
        let used_salt = if not_from_zero {
            PedersenTrait::new(deployer.into()).update(salt).finalize()
        } else {
            salt
        };
        let (address, _) = deploy_syscall(class_hash, used_salt, calldata, !not_from_zero)
            .unwrap_syscall();
        self
            .emit(
                ContractDeployed { address, deployer, not_from_zero, class_hash, calldata, salt }
            );
        address
    }

    #[external(v0)]
    fn deployContract(
        ref self: ContractState,
        classHash: ClassHash,
        salt: felt252,
        notFromZero: bool,
        calldata: Span<felt252>
    ) -> ContractAddress {
        deploy_contract(ref self, classHash, salt, notFromZero, calldata)
    }
}
