// SPDX-License-Identifier: Apache-2.0

// The universal deployer with the names of its first version.
#[starknet::contract]
pub mod UdcLegacy {
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
        unique: bool,
        classHash: ClassHash,
        calldata: Span<felt252>,
        salt: felt252,
    }

    #[external(v0)]
    fn deployContract(
        ref self: ContractState,
        classHash: ClassHash,
        salt: felt252,
        unique: bool,
        calldata: Span<felt252>
    ) -> ContractAddress {
        let deployer = get_caller_address();
        let used_salt = if unique {
            PedersenTrait::new(deployer.into()).update(salt).finalize()
        } else {
            salt
        };
        let (address, _) = deploy_syscall(classHash, used_salt, calldata, !unique).unwrap_syscall();
        self.emit(ContractDeployed { address, deployer, unique, classHash, calldata, salt });
        address
    }
}
