// Written by `npm run generate` from the compiled contracts. Do not edit.
export const constructor = {
  "inputs": [
    {
      "internalType": "address",
      "name": "admin",
      "type": "address"
    },
    {
      "internalType": "uint48",
      "name": "adminDelay",
      "type": "uint48"
    },
    {
      "internalType": "string",
      "name": "initialSiteUrl",
      "type": "string"
    },
    {
      "internalType": "contract ITicketDescriptor",
      "name": "initialDescriptor",
      "type": "address"
    },
    {
      "internalType": "contract IPurchaseNFT",
      "name": "former",
      "type": "address"
    }
  ],
  "stateMutability": "nonpayable",
  "type": "constructor"
} as const;
export const AccessControlBadConfirmation = {
  "inputs": [],
  "name": "AccessControlBadConfirmation",
  "type": "error"
} as const;
export const AccessControlEnforcedDefaultAdminDelay = {
  "inputs": [
    {
      "internalType": "uint48",
      "name": "schedule",
      "type": "uint48"
    }
  ],
  "name": "AccessControlEnforcedDefaultAdminDelay",
  "type": "error"
} as const;
export const AccessControlEnforcedDefaultAdminRules = {
  "inputs": [],
  "name": "AccessControlEnforcedDefaultAdminRules",
  "type": "error"
} as const;
export const AccessControlInvalidDefaultAdmin = {
  "inputs": [
    {
      "internalType": "address",
      "name": "defaultAdmin",
      "type": "address"
    }
  ],
  "name": "AccessControlInvalidDefaultAdmin",
  "type": "error"
} as const;
export const AccessControlUnauthorizedAccount = {
  "inputs": [
    {
      "internalType": "address",
      "name": "account",
      "type": "address"
    },
    {
      "internalType": "bytes32",
      "name": "neededRole",
      "type": "bytes32"
    }
  ],
  "name": "AccessControlUnauthorizedAccount",
  "type": "error"
} as const;
export const AccountBalanceOverflow = {
  "inputs": [],
  "name": "AccountBalanceOverflow",
  "type": "error"
} as const;
export const BalanceQueryForZeroAddress = {
  "inputs": [],
  "name": "BalanceQueryForZeroAddress",
  "type": "error"
} as const;
export const EnforcedPause = {
  "inputs": [],
  "name": "EnforcedPause",
  "type": "error"
} as const;
export const ExpectedPause = {
  "inputs": [],
  "name": "ExpectedPause",
  "type": "error"
} as const;
export const NotOwnerNorApproved = {
  "inputs": [],
  "name": "NotOwnerNorApproved",
  "type": "error"
} as const;
export const PurchaseNFT_AlreadyMinted = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_AlreadyMinted",
  "type": "error"
} as const;
export const PurchaseNFT_InvalidBatchSize = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "size",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "maxSize",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_InvalidBatchSize",
  "type": "error"
} as const;
export const PurchaseNFT_InvalidBuyer = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_InvalidBuyer",
  "type": "error"
} as const;
export const PurchaseNFT_InvalidMetadataUri = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    },
    {
      "internalType": "bytes",
      "name": "metadataUri",
      "type": "bytes"
    }
  ],
  "name": "PurchaseNFT_InvalidMetadataUri",
  "type": "error"
} as const;
export const PurchaseNFT_InvalidMetadataUriCount = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "count",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "purchases",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_InvalidMetadataUriCount",
  "type": "error"
} as const;
export const PurchaseNFT_InvalidPurchaseId = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_InvalidPurchaseId",
  "type": "error"
} as const;
export const PurchaseNFT_InvalidSiteUrl = {
  "inputs": [
    {
      "internalType": "bytes",
      "name": "siteUrl",
      "type": "bytes"
    }
  ],
  "name": "PurchaseNFT_InvalidSiteUrl",
  "type": "error"
} as const;
export const PurchaseNFT_InvalidStoreName = {
  "inputs": [
    {
      "internalType": "bytes",
      "name": "name",
      "type": "bytes"
    }
  ],
  "name": "PurchaseNFT_InvalidStoreName",
  "type": "error"
} as const;
export const PurchaseNFT_MetadataUriTooLong = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "length",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "maxLength",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_MetadataUriTooLong",
  "type": "error"
} as const;
export const PurchaseNFT_NoMetadataUri = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_NoMetadataUri",
  "type": "error"
} as const;
export const PurchaseNFT_NotConfirmed = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    },
    {
      "internalType": "enum IPurchaseNFT.Status",
      "name": "status",
      "type": "uint8"
    }
  ],
  "name": "PurchaseNFT_NotConfirmed",
  "type": "error"
} as const;
export const PurchaseNFT_NotOwner = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    },
    {
      "internalType": "address",
      "name": "caller",
      "type": "address"
    }
  ],
  "name": "PurchaseNFT_NotOwner",
  "type": "error"
} as const;
export const PurchaseNFT_NotPaid = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    },
    {
      "internalType": "enum IPurchaseNFT.Status",
      "name": "status",
      "type": "uint8"
    }
  ],
  "name": "PurchaseNFT_NotPaid",
  "type": "error"
} as const;
export const PurchaseNFT_NotPending = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    },
    {
      "internalType": "enum IPurchaseNFT.Status",
      "name": "status",
      "type": "uint8"
    }
  ],
  "name": "PurchaseNFT_NotPending",
  "type": "error"
} as const;
export const PurchaseNFT_PercentTooHigh = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "totalBps",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "maxBps",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_PercentTooHigh",
  "type": "error"
} as const;
export const PurchaseNFT_Soulbound = {
  "inputs": [],
  "name": "PurchaseNFT_Soulbound",
  "type": "error"
} as const;
export const PurchaseNFT_StoreAlreadyRegistered = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    }
  ],
  "name": "PurchaseNFT_StoreAlreadyRegistered",
  "type": "error"
} as const;
export const PurchaseNFT_UnknownPattern = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "pattern",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "maxPattern",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_UnknownPattern",
  "type": "error"
} as const;
export const PurchaseNFT_UnknownPurchase = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_UnknownPurchase",
  "type": "error"
} as const;
export const PurchaseNFT_UnknownStore = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    }
  ],
  "name": "PurchaseNFT_UnknownStore",
  "type": "error"
} as const;
export const PurchaseNFT_ZeroPercent = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_ZeroPercent",
  "type": "error"
} as const;
export const PurchaseNFT_ZeroValue = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "PurchaseNFT_ZeroValue",
  "type": "error"
} as const;
export const SafeCastOverflowedUintDowncast = {
  "inputs": [
    {
      "internalType": "uint8",
      "name": "bits",
      "type": "uint8"
    },
    {
      "internalType": "uint256",
      "name": "value",
      "type": "uint256"
    }
  ],
  "name": "SafeCastOverflowedUintDowncast",
  "type": "error"
} as const;
export const TokenAlreadyExists = {
  "inputs": [],
  "name": "TokenAlreadyExists",
  "type": "error"
} as const;
export const TokenDoesNotExist = {
  "inputs": [],
  "name": "TokenDoesNotExist",
  "type": "error"
} as const;
export const TransferFromIncorrectOwner = {
  "inputs": [],
  "name": "TransferFromIncorrectOwner",
  "type": "error"
} as const;
export const TransferToNonERC721ReceiverImplementer = {
  "inputs": [],
  "name": "TransferToNonERC721ReceiverImplementer",
  "type": "error"
} as const;
export const TransferToZeroAddress = {
  "inputs": [],
  "name": "TransferToZeroAddress",
  "type": "error"
} as const;
export const Approval = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "owner",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "account",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "Approval",
  "type": "event"
} as const;
export const ApprovalForAll = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "owner",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "operator",
      "type": "address"
    },
    {
      "indexed": false,
      "internalType": "bool",
      "name": "isApproved",
      "type": "bool"
    }
  ],
  "name": "ApprovalForAll",
  "type": "event"
} as const;
export const BatchMetadataUpdate = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "_fromTokenId",
      "type": "uint256"
    },
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "_toTokenId",
      "type": "uint256"
    }
  ],
  "name": "BatchMetadataUpdate",
  "type": "event"
} as const;
export const ContractURIUpdated = {
  "anonymous": false,
  "inputs": [],
  "name": "ContractURIUpdated",
  "type": "event"
} as const;
export const DefaultAdminDelayChangeCanceled = {
  "anonymous": false,
  "inputs": [],
  "name": "DefaultAdminDelayChangeCanceled",
  "type": "event"
} as const;
export const DefaultAdminDelayChangeScheduled = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "uint48",
      "name": "newDelay",
      "type": "uint48"
    },
    {
      "indexed": false,
      "internalType": "uint48",
      "name": "effectSchedule",
      "type": "uint48"
    }
  ],
  "name": "DefaultAdminDelayChangeScheduled",
  "type": "event"
} as const;
export const DefaultAdminTransferCanceled = {
  "anonymous": false,
  "inputs": [],
  "name": "DefaultAdminTransferCanceled",
  "type": "event"
} as const;
export const DefaultAdminTransferScheduled = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "newAdmin",
      "type": "address"
    },
    {
      "indexed": false,
      "internalType": "uint48",
      "name": "acceptSchedule",
      "type": "uint48"
    }
  ],
  "name": "DefaultAdminTransferScheduled",
  "type": "event"
} as const;
export const DescriptorSet = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "descriptor",
      "type": "address"
    }
  ],
  "name": "DescriptorSet",
  "type": "event"
} as const;
export const DistributorSet = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "distributor",
      "type": "address"
    }
  ],
  "name": "DistributorSet",
  "type": "event"
} as const;
export const Locked = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "Locked",
  "type": "event"
} as const;
export const MetadataUpdate = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "_tokenId",
      "type": "uint256"
    }
  ],
  "name": "MetadataUpdate",
  "type": "event"
} as const;
export const MetadataUriCleared = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "MetadataUriCleared",
  "type": "event"
} as const;
export const MetadataUriSet = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    },
    {
      "indexed": false,
      "internalType": "string",
      "name": "metadataUri",
      "type": "string"
    }
  ],
  "name": "MetadataUriSet",
  "type": "event"
} as const;
export const Paused = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "address",
      "name": "account",
      "type": "address"
    }
  ],
  "name": "Paused",
  "type": "event"
} as const;
export const PurchaseMinted = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "buyer",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "indexed": false,
      "internalType": "uint40",
      "name": "valueCents",
      "type": "uint40"
    },
    {
      "indexed": false,
      "internalType": "uint16",
      "name": "baseBps",
      "type": "uint16"
    },
    {
      "indexed": false,
      "internalType": "uint16",
      "name": "bonusBps",
      "type": "uint16"
    },
    {
      "indexed": false,
      "internalType": "uint64",
      "name": "saleRef",
      "type": "uint64"
    }
  ],
  "name": "PurchaseMinted",
  "type": "event"
} as const;
export const Recovered = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "token",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "to",
      "type": "address"
    },
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    }
  ],
  "name": "Recovered",
  "type": "event"
} as const;
export const RoleAdminChanged = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "bytes32",
      "name": "role",
      "type": "bytes32"
    },
    {
      "indexed": true,
      "internalType": "bytes32",
      "name": "previousAdminRole",
      "type": "bytes32"
    },
    {
      "indexed": true,
      "internalType": "bytes32",
      "name": "newAdminRole",
      "type": "bytes32"
    }
  ],
  "name": "RoleAdminChanged",
  "type": "event"
} as const;
export const RoleGranted = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "bytes32",
      "name": "role",
      "type": "bytes32"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "account",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "sender",
      "type": "address"
    }
  ],
  "name": "RoleGranted",
  "type": "event"
} as const;
export const RoleRevoked = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "bytes32",
      "name": "role",
      "type": "bytes32"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "account",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "sender",
      "type": "address"
    }
  ],
  "name": "RoleRevoked",
  "type": "event"
} as const;
export const SiteUrlSet = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "string",
      "name": "siteUrl",
      "type": "string"
    }
  ],
  "name": "SiteUrlSet",
  "type": "event"
} as const;
export const StatusUpdated = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    },
    {
      "indexed": false,
      "internalType": "enum IPurchaseNFT.Status",
      "name": "to",
      "type": "uint8"
    }
  ],
  "name": "StatusUpdated",
  "type": "event"
} as const;
export const StoreColourSet = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "indexed": false,
      "internalType": "uint24",
      "name": "colour",
      "type": "uint24"
    }
  ],
  "name": "StoreColourSet",
  "type": "event"
} as const;
export const StoreLookSet = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "indexed": false,
      "internalType": "uint24",
      "name": "first",
      "type": "uint24"
    },
    {
      "indexed": false,
      "internalType": "uint24",
      "name": "second",
      "type": "uint24"
    },
    {
      "indexed": false,
      "internalType": "uint8",
      "name": "pattern",
      "type": "uint8"
    }
  ],
  "name": "StoreLookSet",
  "type": "event"
} as const;
export const StoreRegistered = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "indexed": false,
      "internalType": "string",
      "name": "name",
      "type": "string"
    }
  ],
  "name": "StoreRegistered",
  "type": "event"
} as const;
export const StoreRenamed = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "indexed": false,
      "internalType": "string",
      "name": "name",
      "type": "string"
    }
  ],
  "name": "StoreRenamed",
  "type": "event"
} as const;
export const Succeeded = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "predecessor",
      "type": "address"
    }
  ],
  "name": "Succeeded",
  "type": "event"
} as const;
export const Transfer = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "from",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "to",
      "type": "address"
    },
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "Transfer",
  "type": "event"
} as const;
export const Unpaused = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "address",
      "name": "account",
      "type": "address"
    }
  ],
  "name": "Unpaused",
  "type": "event"
} as const;
export const CATALOGUE_ROLE = {
  "inputs": [],
  "name": "CATALOGUE_ROLE",
  "outputs": [
    {
      "internalType": "bytes32",
      "name": "",
      "type": "bytes32"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const CONFIRMER_ROLE = {
  "inputs": [],
  "name": "CONFIRMER_ROLE",
  "outputs": [
    {
      "internalType": "bytes32",
      "name": "",
      "type": "bytes32"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const DEFAULT_ADMIN_ROLE = {
  "inputs": [],
  "name": "DEFAULT_ADMIN_ROLE",
  "outputs": [
    {
      "internalType": "bytes32",
      "name": "",
      "type": "bytes32"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const MAX_BATCH = {
  "inputs": [],
  "name": "MAX_BATCH",
  "outputs": [
    {
      "internalType": "uint256",
      "name": "",
      "type": "uint256"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const MINTER_ROLE = {
  "inputs": [],
  "name": "MINTER_ROLE",
  "outputs": [
    {
      "internalType": "bytes32",
      "name": "",
      "type": "bytes32"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const PAUSER_ROLE = {
  "inputs": [],
  "name": "PAUSER_ROLE",
  "outputs": [
    {
      "internalType": "bytes32",
      "name": "",
      "type": "bytes32"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const TREASURER_ROLE = {
  "inputs": [],
  "name": "TREASURER_ROLE",
  "outputs": [
    {
      "internalType": "bytes32",
      "name": "",
      "type": "bytes32"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const acceptDefaultAdminTransfer = {
  "inputs": [],
  "name": "acceptDefaultAdminTransfer",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const approve = {
  "inputs": [
    {
      "internalType": "address",
      "name": "",
      "type": "address"
    },
    {
      "internalType": "uint256",
      "name": "",
      "type": "uint256"
    }
  ],
  "name": "approve",
  "outputs": [],
  "stateMutability": "payable",
  "type": "function"
} as const;
export const balanceOf = {
  "inputs": [
    {
      "internalType": "address",
      "name": "owner",
      "type": "address"
    }
  ],
  "name": "balanceOf",
  "outputs": [
    {
      "internalType": "uint256",
      "name": "result",
      "type": "uint256"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const beginDefaultAdminTransfer = {
  "inputs": [
    {
      "internalType": "address",
      "name": "newAdmin",
      "type": "address"
    }
  ],
  "name": "beginDefaultAdminTransfer",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const burn = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "burn",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const burntOf = {
  "inputs": [
    {
      "internalType": "address",
      "name": "owner",
      "type": "address"
    }
  ],
  "name": "burntOf",
  "outputs": [
    {
      "internalType": "uint256",
      "name": "count",
      "type": "uint256"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const cancel = {
  "inputs": [
    {
      "internalType": "uint256[]",
      "name": "tokenIds",
      "type": "uint256[]"
    }
  ],
  "name": "cancel",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const cancelDefaultAdminTransfer = {
  "inputs": [],
  "name": "cancelDefaultAdminTransfer",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const changeDefaultAdminDelay = {
  "inputs": [
    {
      "internalType": "uint48",
      "name": "newDelay",
      "type": "uint48"
    }
  ],
  "name": "changeDefaultAdminDelay",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const clearMetadataUri = {
  "inputs": [
    {
      "internalType": "uint256[]",
      "name": "tokenIds",
      "type": "uint256[]"
    }
  ],
  "name": "clearMetadataUri",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const confirm = {
  "inputs": [
    {
      "internalType": "uint256[]",
      "name": "tokenIds",
      "type": "uint256[]"
    }
  ],
  "name": "confirm",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const contractURI = {
  "inputs": [],
  "name": "contractURI",
  "outputs": [
    {
      "internalType": "string",
      "name": "",
      "type": "string"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const defaultAdmin = {
  "inputs": [],
  "name": "defaultAdmin",
  "outputs": [
    {
      "internalType": "address",
      "name": "",
      "type": "address"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const defaultAdminDelay = {
  "inputs": [],
  "name": "defaultAdminDelay",
  "outputs": [
    {
      "internalType": "uint48",
      "name": "",
      "type": "uint48"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const defaultAdminDelayIncreaseWait = {
  "inputs": [],
  "name": "defaultAdminDelayIncreaseWait",
  "outputs": [
    {
      "internalType": "uint48",
      "name": "",
      "type": "uint48"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const descriptor = {
  "inputs": [],
  "name": "descriptor",
  "outputs": [
    {
      "internalType": "contract ITicketDescriptor",
      "name": "",
      "type": "address"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const distributor = {
  "inputs": [],
  "name": "distributor",
  "outputs": [
    {
      "internalType": "contract ICashbackDistributor",
      "name": "",
      "type": "address"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const getApproved = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "getApproved",
  "outputs": [
    {
      "internalType": "address",
      "name": "result",
      "type": "address"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const getRoleAdmin = {
  "inputs": [
    {
      "internalType": "bytes32",
      "name": "role",
      "type": "bytes32"
    }
  ],
  "name": "getRoleAdmin",
  "outputs": [
    {
      "internalType": "bytes32",
      "name": "",
      "type": "bytes32"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const grantRole = {
  "inputs": [
    {
      "internalType": "bytes32",
      "name": "role",
      "type": "bytes32"
    },
    {
      "internalType": "address",
      "name": "account",
      "type": "address"
    }
  ],
  "name": "grantRole",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const hasRole = {
  "inputs": [
    {
      "internalType": "bytes32",
      "name": "role",
      "type": "bytes32"
    },
    {
      "internalType": "address",
      "name": "account",
      "type": "address"
    }
  ],
  "name": "hasRole",
  "outputs": [
    {
      "internalType": "bool",
      "name": "",
      "type": "bool"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const isApprovedForAll = {
  "inputs": [
    {
      "internalType": "address",
      "name": "owner",
      "type": "address"
    },
    {
      "internalType": "address",
      "name": "operator",
      "type": "address"
    }
  ],
  "name": "isApprovedForAll",
  "outputs": [
    {
      "internalType": "bool",
      "name": "result",
      "type": "bool"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const isMinted = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "isMinted",
  "outputs": [
    {
      "internalType": "bool",
      "name": "",
      "type": "bool"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const locked = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "locked",
  "outputs": [
    {
      "internalType": "bool",
      "name": "",
      "type": "bool"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const markReturned = {
  "inputs": [
    {
      "internalType": "uint256[]",
      "name": "tokenIds",
      "type": "uint256[]"
    }
  ],
  "name": "markReturned",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const mint = {
  "inputs": [
    {
      "components": [
        {
          "internalType": "uint64",
          "name": "saleRef",
          "type": "uint64"
        },
        {
          "internalType": "uint40",
          "name": "valueCents",
          "type": "uint40"
        },
        {
          "internalType": "address",
          "name": "buyer",
          "type": "address"
        },
        {
          "internalType": "uint256",
          "name": "id",
          "type": "uint256"
        },
        {
          "internalType": "uint16",
          "name": "baseBps",
          "type": "uint16"
        },
        {
          "internalType": "uint16",
          "name": "bonusBps",
          "type": "uint16"
        },
        {
          "internalType": "uint16",
          "name": "storeId",
          "type": "uint16"
        }
      ],
      "internalType": "struct IPurchaseNFT.Purchase",
      "name": "purchase",
      "type": "tuple"
    },
    {
      "internalType": "string",
      "name": "metadataUri",
      "type": "string"
    }
  ],
  "name": "mint",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const mintBatch = {
  "inputs": [
    {
      "components": [
        {
          "internalType": "uint64",
          "name": "saleRef",
          "type": "uint64"
        },
        {
          "internalType": "uint40",
          "name": "valueCents",
          "type": "uint40"
        },
        {
          "internalType": "address",
          "name": "buyer",
          "type": "address"
        },
        {
          "internalType": "uint256",
          "name": "id",
          "type": "uint256"
        },
        {
          "internalType": "uint16",
          "name": "baseBps",
          "type": "uint16"
        },
        {
          "internalType": "uint16",
          "name": "bonusBps",
          "type": "uint16"
        },
        {
          "internalType": "uint16",
          "name": "storeId",
          "type": "uint16"
        }
      ],
      "internalType": "struct IPurchaseNFT.Purchase[]",
      "name": "purchases",
      "type": "tuple[]"
    },
    {
      "internalType": "string[]",
      "name": "metadataUris",
      "type": "string[]"
    }
  ],
  "name": "mintBatch",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const name = {
  "inputs": [],
  "name": "name",
  "outputs": [
    {
      "internalType": "string",
      "name": "",
      "type": "string"
    }
  ],
  "stateMutability": "pure",
  "type": "function"
} as const;
export const owner = {
  "inputs": [],
  "name": "owner",
  "outputs": [
    {
      "internalType": "address",
      "name": "",
      "type": "address"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const ownerOf = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "ownerOf",
  "outputs": [
    {
      "internalType": "address",
      "name": "result",
      "type": "address"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const pause = {
  "inputs": [],
  "name": "pause",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const paused = {
  "inputs": [],
  "name": "paused",
  "outputs": [
    {
      "internalType": "bool",
      "name": "",
      "type": "bool"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const pendingDefaultAdmin = {
  "inputs": [],
  "name": "pendingDefaultAdmin",
  "outputs": [
    {
      "internalType": "address",
      "name": "newAdmin",
      "type": "address"
    },
    {
      "internalType": "uint48",
      "name": "schedule",
      "type": "uint48"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const pendingDefaultAdminDelay = {
  "inputs": [],
  "name": "pendingDefaultAdminDelay",
  "outputs": [
    {
      "internalType": "uint48",
      "name": "newDelay",
      "type": "uint48"
    },
    {
      "internalType": "uint48",
      "name": "schedule",
      "type": "uint48"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const predecessor = {
  "inputs": [],
  "name": "predecessor",
  "outputs": [
    {
      "internalType": "contract IPurchaseNFT",
      "name": "",
      "type": "address"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const purchaseOf = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "purchaseOf",
  "outputs": [
    {
      "components": [
        {
          "internalType": "address",
          "name": "buyer",
          "type": "address"
        },
        {
          "internalType": "uint16",
          "name": "storeId",
          "type": "uint16"
        },
        {
          "internalType": "uint40",
          "name": "valueCents",
          "type": "uint40"
        },
        {
          "internalType": "uint16",
          "name": "baseBps",
          "type": "uint16"
        },
        {
          "internalType": "uint16",
          "name": "bonusBps",
          "type": "uint16"
        },
        {
          "internalType": "enum IPurchaseNFT.Status",
          "name": "status",
          "type": "uint8"
        }
      ],
      "internalType": "struct IPurchaseNFT.PurchaseRecord",
      "name": "",
      "type": "tuple"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const purchasesOfItems = {
  "inputs": [
    {
      "internalType": "uint256[]",
      "name": "items",
      "type": "uint256[]"
    }
  ],
  "name": "purchasesOfItems",
  "outputs": [
    {
      "internalType": "PackedPurchase[]",
      "name": "",
      "type": "uint256[]"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const recover = {
  "inputs": [
    {
      "internalType": "address",
      "name": "token",
      "type": "address"
    },
    {
      "internalType": "address",
      "name": "to",
      "type": "address"
    }
  ],
  "name": "recover",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const registerStore = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "internalType": "string",
      "name": "newName",
      "type": "string"
    }
  ],
  "name": "registerStore",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const renameStore = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "internalType": "string",
      "name": "newName",
      "type": "string"
    }
  ],
  "name": "renameStore",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const renounceRole = {
  "inputs": [
    {
      "internalType": "bytes32",
      "name": "role",
      "type": "bytes32"
    },
    {
      "internalType": "address",
      "name": "account",
      "type": "address"
    }
  ],
  "name": "renounceRole",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const revokeRole = {
  "inputs": [
    {
      "internalType": "bytes32",
      "name": "role",
      "type": "bytes32"
    },
    {
      "internalType": "address",
      "name": "account",
      "type": "address"
    }
  ],
  "name": "revokeRole",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const rollbackDefaultAdminDelay = {
  "inputs": [],
  "name": "rollbackDefaultAdminDelay",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const safeTransferFrom = {
  "inputs": [
    {
      "internalType": "address",
      "name": "from",
      "type": "address"
    },
    {
      "internalType": "address",
      "name": "to",
      "type": "address"
    },
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    }
  ],
  "name": "safeTransferFrom",
  "outputs": [],
  "stateMutability": "payable",
  "type": "function"
} as const;
export const safeTransferFrom_2 = {
  "inputs": [
    {
      "internalType": "address",
      "name": "from",
      "type": "address"
    },
    {
      "internalType": "address",
      "name": "to",
      "type": "address"
    },
    {
      "internalType": "uint256",
      "name": "id",
      "type": "uint256"
    },
    {
      "internalType": "bytes",
      "name": "data",
      "type": "bytes"
    }
  ],
  "name": "safeTransferFrom",
  "outputs": [],
  "stateMutability": "payable",
  "type": "function"
} as const;
export const setApprovalForAll = {
  "inputs": [
    {
      "internalType": "address",
      "name": "",
      "type": "address"
    },
    {
      "internalType": "bool",
      "name": "",
      "type": "bool"
    }
  ],
  "name": "setApprovalForAll",
  "outputs": [],
  "stateMutability": "pure",
  "type": "function"
} as const;
export const setDescriptor = {
  "inputs": [
    {
      "internalType": "contract ITicketDescriptor",
      "name": "newDescriptor",
      "type": "address"
    }
  ],
  "name": "setDescriptor",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const setDistributor = {
  "inputs": [
    {
      "internalType": "contract ICashbackDistributor",
      "name": "newDistributor",
      "type": "address"
    }
  ],
  "name": "setDistributor",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const setSiteUrl = {
  "inputs": [
    {
      "internalType": "string",
      "name": "newSiteUrl",
      "type": "string"
    }
  ],
  "name": "setSiteUrl",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const setStoreColour = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "internalType": "uint24",
      "name": "newColour",
      "type": "uint24"
    }
  ],
  "name": "setStoreColour",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const setStoreLook = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    },
    {
      "internalType": "uint24",
      "name": "first",
      "type": "uint24"
    },
    {
      "internalType": "uint24",
      "name": "second",
      "type": "uint24"
    },
    {
      "internalType": "uint8",
      "name": "pattern",
      "type": "uint8"
    }
  ],
  "name": "setStoreLook",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const siteUrl = {
  "inputs": [],
  "name": "siteUrl",
  "outputs": [
    {
      "internalType": "string",
      "name": "",
      "type": "string"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const storeColour = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    }
  ],
  "name": "storeColour",
  "outputs": [
    {
      "internalType": "uint24",
      "name": "",
      "type": "uint24"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const storeLook = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    }
  ],
  "name": "storeLook",
  "outputs": [
    {
      "components": [
        {
          "internalType": "uint24",
          "name": "first",
          "type": "uint24"
        },
        {
          "internalType": "uint24",
          "name": "second",
          "type": "uint24"
        },
        {
          "internalType": "uint8",
          "name": "pattern",
          "type": "uint8"
        }
      ],
      "internalType": "struct IPurchaseNFT.StoreLook",
      "name": "",
      "type": "tuple"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const storeName = {
  "inputs": [
    {
      "internalType": "uint16",
      "name": "storeId",
      "type": "uint16"
    }
  ],
  "name": "storeName",
  "outputs": [
    {
      "internalType": "string",
      "name": "",
      "type": "string"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const storedPurchaseOf = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "storedPurchaseOf",
  "outputs": [
    {
      "internalType": "PackedPurchase",
      "name": "purchase",
      "type": "uint256"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const supportsInterface = {
  "inputs": [
    {
      "internalType": "bytes4",
      "name": "interfaceId",
      "type": "bytes4"
    }
  ],
  "name": "supportsInterface",
  "outputs": [
    {
      "internalType": "bool",
      "name": "",
      "type": "bool"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const symbol = {
  "inputs": [],
  "name": "symbol",
  "outputs": [
    {
      "internalType": "string",
      "name": "",
      "type": "string"
    }
  ],
  "stateMutability": "pure",
  "type": "function"
} as const;
export const ticketsOf = {
  "inputs": [
    {
      "internalType": "uint256[]",
      "name": "tokenIds",
      "type": "uint256[]"
    }
  ],
  "name": "ticketsOf",
  "outputs": [
    {
      "components": [
        {
          "internalType": "address",
          "name": "buyer",
          "type": "address"
        },
        {
          "internalType": "uint16",
          "name": "storeId",
          "type": "uint16"
        },
        {
          "internalType": "uint40",
          "name": "valueCents",
          "type": "uint40"
        },
        {
          "internalType": "uint16",
          "name": "baseBps",
          "type": "uint16"
        },
        {
          "internalType": "uint16",
          "name": "bonusBps",
          "type": "uint16"
        },
        {
          "internalType": "enum IPurchaseNFT.Status",
          "name": "status",
          "type": "uint8"
        }
      ],
      "internalType": "struct IPurchaseNFT.PurchaseRecord[]",
      "name": "tickets",
      "type": "tuple[]"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const tokenURI = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "tokenId",
      "type": "uint256"
    }
  ],
  "name": "tokenURI",
  "outputs": [
    {
      "internalType": "string",
      "name": "",
      "type": "string"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const transferFrom = {
  "inputs": [
    {
      "internalType": "address",
      "name": "",
      "type": "address"
    },
    {
      "internalType": "address",
      "name": "",
      "type": "address"
    },
    {
      "internalType": "uint256",
      "name": "",
      "type": "uint256"
    }
  ],
  "name": "transferFrom",
  "outputs": [],
  "stateMutability": "payable",
  "type": "function"
} as const;
export const unpause = {
  "inputs": [],
  "name": "unpause",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const purchaseNftAbi = [constructor, AccessControlBadConfirmation, AccessControlEnforcedDefaultAdminDelay, AccessControlEnforcedDefaultAdminRules, AccessControlInvalidDefaultAdmin, AccessControlUnauthorizedAccount, AccountBalanceOverflow, BalanceQueryForZeroAddress, EnforcedPause, ExpectedPause, NotOwnerNorApproved, PurchaseNFT_AlreadyMinted, PurchaseNFT_InvalidBatchSize, PurchaseNFT_InvalidBuyer, PurchaseNFT_InvalidMetadataUri, PurchaseNFT_InvalidMetadataUriCount, PurchaseNFT_InvalidPurchaseId, PurchaseNFT_InvalidSiteUrl, PurchaseNFT_InvalidStoreName, PurchaseNFT_MetadataUriTooLong, PurchaseNFT_NoMetadataUri, PurchaseNFT_NotConfirmed, PurchaseNFT_NotOwner, PurchaseNFT_NotPaid, PurchaseNFT_NotPending, PurchaseNFT_PercentTooHigh, PurchaseNFT_Soulbound, PurchaseNFT_StoreAlreadyRegistered, PurchaseNFT_UnknownPattern, PurchaseNFT_UnknownPurchase, PurchaseNFT_UnknownStore, PurchaseNFT_ZeroPercent, PurchaseNFT_ZeroValue, SafeCastOverflowedUintDowncast, TokenAlreadyExists, TokenDoesNotExist, TransferFromIncorrectOwner, TransferToNonERC721ReceiverImplementer, TransferToZeroAddress, Approval, ApprovalForAll, BatchMetadataUpdate, ContractURIUpdated, DefaultAdminDelayChangeCanceled, DefaultAdminDelayChangeScheduled, DefaultAdminTransferCanceled, DefaultAdminTransferScheduled, DescriptorSet, DistributorSet, Locked, MetadataUpdate, MetadataUriCleared, MetadataUriSet, Paused, PurchaseMinted, Recovered, RoleAdminChanged, RoleGranted, RoleRevoked, SiteUrlSet, StatusUpdated, StoreColourSet, StoreLookSet, StoreRegistered, StoreRenamed, Succeeded, Transfer, Unpaused, CATALOGUE_ROLE, CONFIRMER_ROLE, DEFAULT_ADMIN_ROLE, MAX_BATCH, MINTER_ROLE, PAUSER_ROLE, TREASURER_ROLE, acceptDefaultAdminTransfer, approve, balanceOf, beginDefaultAdminTransfer, burn, burntOf, cancel, cancelDefaultAdminTransfer, changeDefaultAdminDelay, clearMetadataUri, confirm, contractURI, defaultAdmin, defaultAdminDelay, defaultAdminDelayIncreaseWait, descriptor, distributor, getApproved, getRoleAdmin, grantRole, hasRole, isApprovedForAll, isMinted, locked, markReturned, mint, mintBatch, name, owner, ownerOf, pause, paused, pendingDefaultAdmin, pendingDefaultAdminDelay, predecessor, purchaseOf, purchasesOfItems, recover, registerStore, renameStore, renounceRole, revokeRole, rollbackDefaultAdminDelay, safeTransferFrom, safeTransferFrom_2, setApprovalForAll, setDescriptor, setDistributor, setSiteUrl, setStoreColour, setStoreLook, siteUrl, storeColour, storeLook, storeName, storedPurchaseOf, supportsInterface, symbol, ticketsOf, tokenURI, transferFrom, unpause] as const;
