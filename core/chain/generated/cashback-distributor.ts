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
      "internalType": "contract IPurchaseNFT",
      "name": "tickets",
      "type": "address"
    },
    {
      "components": [
        {
          "internalType": "uint96",
          "name": "maxWeiPerCent",
          "type": "uint96"
        },
        {
          "internalType": "uint96",
          "name": "maxPayout",
          "type": "uint96"
        },
        {
          "internalType": "uint112",
          "name": "dailyCap",
          "type": "uint112"
        }
      ],
      "internalType": "struct ICashbackDistributor.Limits",
      "name": "initialLimits",
      "type": "tuple"
    },
    {
      "internalType": "contract ICashbackDistributor",
      "name": "retired",
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
export const CashbackDistributor_AboveCashback = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "maxAmount",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_AboveCashback",
  "type": "error"
} as const;
export const CashbackDistributor_AboveDailyCap = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "spent",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "dailyCap",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_AboveDailyCap",
  "type": "error"
} as const;
export const CashbackDistributor_AboveMaxPayout = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "maxPayout",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_AboveMaxPayout",
  "type": "error"
} as const;
export const CashbackDistributor_AlreadyPaid = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_AlreadyPaid",
  "type": "error"
} as const;
export const CashbackDistributor_DistributorRetired = {
  "inputs": [],
  "name": "CashbackDistributor_DistributorRetired",
  "type": "error"
} as const;
export const CashbackDistributor_InsufficientFunds = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "needed",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "available",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_InsufficientFunds",
  "type": "error"
} as const;
export const CashbackDistributor_InsufficientGas = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "left",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "needed",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_InsufficientGas",
  "type": "error"
} as const;
export const CashbackDistributor_InvalidBatchSize = {
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
  "name": "CashbackDistributor_InvalidBatchSize",
  "type": "error"
} as const;
export const CashbackDistributor_InvalidRecipient = {
  "inputs": [
    {
      "internalType": "address",
      "name": "to",
      "type": "address"
    }
  ],
  "name": "CashbackDistributor_InvalidRecipient",
  "type": "error"
} as const;
export const CashbackDistributor_MaxPayoutAboveDailyCap = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "maxPayout",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "dailyCap",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_MaxPayoutAboveDailyCap",
  "type": "error"
} as const;
export const CashbackDistributor_NoCredit = {
  "inputs": [
    {
      "internalType": "address",
      "name": "recipient",
      "type": "address"
    }
  ],
  "name": "CashbackDistributor_NoCredit",
  "type": "error"
} as const;
export const CashbackDistributor_NotConfirmed = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    },
    {
      "internalType": "enum IPurchaseNFT.Status",
      "name": "status",
      "type": "uint8"
    }
  ],
  "name": "CashbackDistributor_NotConfirmed",
  "type": "error"
} as const;
export const CashbackDistributor_PredecessorNotRetired = {
  "inputs": [
    {
      "internalType": "address",
      "name": "predecessor",
      "type": "address"
    }
  ],
  "name": "CashbackDistributor_PredecessorNotRetired",
  "type": "error"
} as const;
export const CashbackDistributor_PredecessorOfOtherTickets = {
  "inputs": [
    {
      "internalType": "address",
      "name": "predecessor",
      "type": "address"
    }
  ],
  "name": "CashbackDistributor_PredecessorOfOtherTickets",
  "type": "error"
} as const;
export const CashbackDistributor_PredecessorSetsLimits = {
  "inputs": [
    {
      "internalType": "address",
      "name": "predecessor",
      "type": "address"
    }
  ],
  "name": "CashbackDistributor_PredecessorSetsLimits",
  "type": "error"
} as const;
export const CashbackDistributor_RateTooHigh = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "weiPerCent",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "maxWeiPerCent",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_RateTooHigh",
  "type": "error"
} as const;
export const CashbackDistributor_TransferRefused = {
  "inputs": [
    {
      "internalType": "address",
      "name": "to",
      "type": "address"
    },
    {
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_TransferRefused",
  "type": "error"
} as const;
export const CashbackDistributor_ZeroAmount = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    }
  ],
  "name": "CashbackDistributor_ZeroAmount",
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
export const ReentrancyGuardReentrantCall = {
  "inputs": [],
  "name": "ReentrancyGuardReentrantCall",
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
export const TicketReader_InvalidAnswer = {
  "inputs": [
    {
      "internalType": "address",
      "name": "tickets",
      "type": "address"
    }
  ],
  "name": "TicketReader_InvalidAnswer",
  "type": "error"
} as const;
export const CashbackDeferred = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "recipient",
      "type": "address"
    },
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    }
  ],
  "name": "CashbackDeferred",
  "type": "event"
} as const;
export const CashbackPaid = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    },
    {
      "indexed": true,
      "internalType": "address",
      "name": "recipient",
      "type": "address"
    },
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    }
  ],
  "name": "CashbackPaid",
  "type": "event"
} as const;
export const CashbackSkipped = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    }
  ],
  "name": "CashbackSkipped",
  "type": "event"
} as const;
export const CreditWithdrawn = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "recipient",
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
  "name": "CreditWithdrawn",
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
export const Funded = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "from",
      "type": "address"
    },
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    }
  ],
  "name": "Funded",
  "type": "event"
} as const;
export const LimitsSet = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "uint96",
      "name": "maxWeiPerCent",
      "type": "uint96"
    },
    {
      "indexed": false,
      "internalType": "uint96",
      "name": "maxPayout",
      "type": "uint96"
    },
    {
      "indexed": false,
      "internalType": "uint112",
      "name": "dailyCap",
      "type": "uint112"
    }
  ],
  "name": "LimitsSet",
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
export const RateApplied = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "weiPerCent",
      "type": "uint256"
    }
  ],
  "name": "RateApplied",
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
export const Retired = {
  "anonymous": false,
  "inputs": [],
  "name": "Retired",
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
export const Succeeded = {
  "anonymous": false,
  "inputs": [
    {
      "indexed": true,
      "internalType": "address",
      "name": "predecessor",
      "type": "address"
    },
    {
      "indexed": false,
      "internalType": "address",
      "name": "tickets",
      "type": "address"
    },
    {
      "indexed": false,
      "internalType": "uint256",
      "name": "spentToday",
      "type": "uint256"
    }
  ],
  "name": "Succeeded",
  "type": "event"
} as const;
export const Swept = {
  "anonymous": false,
  "inputs": [
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
  "name": "Swept",
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
export const MIN_GAS_BEFORE_CALL = {
  "inputs": [],
  "name": "MIN_GAS_BEFORE_CALL",
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
export const PAYER_ROLE = {
  "inputs": [],
  "name": "PAYER_ROLE",
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
export const RECIPIENT_GAS = {
  "inputs": [],
  "name": "RECIPIENT_GAS",
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
export const available = {
  "inputs": [],
  "name": "available",
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
export const creditOf = {
  "inputs": [
    {
      "internalType": "address",
      "name": "recipient",
      "type": "address"
    }
  ],
  "name": "creditOf",
  "outputs": [
    {
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
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
export const isPaid = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    }
  ],
  "name": "isPaid",
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
export const isRetired = {
  "inputs": [],
  "name": "isRetired",
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
export const limits = {
  "inputs": [],
  "name": "limits",
  "outputs": [
    {
      "components": [
        {
          "internalType": "uint96",
          "name": "maxWeiPerCent",
          "type": "uint96"
        },
        {
          "internalType": "uint96",
          "name": "maxPayout",
          "type": "uint96"
        },
        {
          "internalType": "uint112",
          "name": "dailyCap",
          "type": "uint112"
        }
      ],
      "internalType": "struct ICashbackDistributor.Limits",
      "name": "",
      "type": "tuple"
    }
  ],
  "stateMutability": "view",
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
export const paidWord = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "wordIndex",
      "type": "uint256"
    }
  ],
  "name": "paidWord",
  "outputs": [
    {
      "internalType": "uint256",
      "name": "bits",
      "type": "uint256"
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
export const pay = {
  "inputs": [
    {
      "internalType": "uint256",
      "name": "purchaseId",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    },
    {
      "internalType": "uint256",
      "name": "weiPerCent",
      "type": "uint256"
    }
  ],
  "name": "pay",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const payBatch = {
  "inputs": [
    {
      "internalType": "uint256[]",
      "name": "items",
      "type": "uint256[]"
    },
    {
      "internalType": "uint256",
      "name": "weiPerCent",
      "type": "uint256"
    }
  ],
  "name": "payBatch",
  "outputs": [],
  "stateMutability": "nonpayable",
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
      "internalType": "contract ICashbackDistributor",
      "name": "",
      "type": "address"
    }
  ],
  "stateMutability": "view",
  "type": "function"
} as const;
export const purchaseNFT = {
  "inputs": [],
  "name": "purchaseNFT",
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
export const pushCredit = {
  "inputs": [
    {
      "internalType": "address",
      "name": "recipient",
      "type": "address"
    }
  ],
  "name": "pushCredit",
  "outputs": [],
  "stateMutability": "nonpayable",
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
export const retire = {
  "inputs": [],
  "name": "retire",
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
export const setLimits = {
  "inputs": [
    {
      "components": [
        {
          "internalType": "uint96",
          "name": "maxWeiPerCent",
          "type": "uint96"
        },
        {
          "internalType": "uint96",
          "name": "maxPayout",
          "type": "uint96"
        },
        {
          "internalType": "uint112",
          "name": "dailyCap",
          "type": "uint112"
        }
      ],
      "internalType": "struct ICashbackDistributor.Limits",
      "name": "newLimits",
      "type": "tuple"
    }
  ],
  "name": "setLimits",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const spentToday = {
  "inputs": [],
  "name": "spentToday",
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
export const sweep = {
  "inputs": [
    {
      "internalType": "address payable",
      "name": "to",
      "type": "address"
    },
    {
      "internalType": "uint256",
      "name": "amount",
      "type": "uint256"
    }
  ],
  "name": "sweep",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const totalCredit = {
  "inputs": [],
  "name": "totalCredit",
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
export const unpause = {
  "inputs": [],
  "name": "unpause",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const withdrawCredit = {
  "inputs": [
    {
      "internalType": "address payable",
      "name": "to",
      "type": "address"
    }
  ],
  "name": "withdrawCredit",
  "outputs": [],
  "stateMutability": "nonpayable",
  "type": "function"
} as const;
export const receive = {
  "stateMutability": "payable",
  "type": "receive"
} as const;
export const cashbackDistributorAbi = [constructor, AccessControlBadConfirmation, AccessControlEnforcedDefaultAdminDelay, AccessControlEnforcedDefaultAdminRules, AccessControlInvalidDefaultAdmin, AccessControlUnauthorizedAccount, CashbackDistributor_AboveCashback, CashbackDistributor_AboveDailyCap, CashbackDistributor_AboveMaxPayout, CashbackDistributor_AlreadyPaid, CashbackDistributor_DistributorRetired, CashbackDistributor_InsufficientFunds, CashbackDistributor_InsufficientGas, CashbackDistributor_InvalidBatchSize, CashbackDistributor_InvalidRecipient, CashbackDistributor_MaxPayoutAboveDailyCap, CashbackDistributor_NoCredit, CashbackDistributor_NotConfirmed, CashbackDistributor_PredecessorNotRetired, CashbackDistributor_PredecessorOfOtherTickets, CashbackDistributor_PredecessorSetsLimits, CashbackDistributor_RateTooHigh, CashbackDistributor_TransferRefused, CashbackDistributor_ZeroAmount, EnforcedPause, ExpectedPause, ReentrancyGuardReentrantCall, SafeCastOverflowedUintDowncast, TicketReader_InvalidAnswer, CashbackDeferred, CashbackPaid, CashbackSkipped, CreditWithdrawn, DefaultAdminDelayChangeCanceled, DefaultAdminDelayChangeScheduled, DefaultAdminTransferCanceled, DefaultAdminTransferScheduled, Funded, LimitsSet, Paused, RateApplied, Recovered, Retired, RoleAdminChanged, RoleGranted, RoleRevoked, Succeeded, Swept, Unpaused, DEFAULT_ADMIN_ROLE, MAX_BATCH, MIN_GAS_BEFORE_CALL, PAUSER_ROLE, PAYER_ROLE, RECIPIENT_GAS, TREASURER_ROLE, acceptDefaultAdminTransfer, available, beginDefaultAdminTransfer, cancelDefaultAdminTransfer, changeDefaultAdminDelay, creditOf, defaultAdmin, defaultAdminDelay, defaultAdminDelayIncreaseWait, getRoleAdmin, grantRole, hasRole, isPaid, isRetired, limits, owner, paidWord, pause, paused, pay, payBatch, pendingDefaultAdmin, pendingDefaultAdminDelay, predecessor, purchaseNFT, pushCredit, recover, renounceRole, retire, revokeRole, rollbackDefaultAdminDelay, setLimits, spentToday, supportsInterface, sweep, totalCredit, unpause, withdrawCredit, receive] as const;
