/** The contract's view of many tickets, alone: with its whole ABI, the dashboard would load eight times as much. */
export const ticketsOfAbi = [
  {
    type: "function",
    name: "ticketsOf",
    stateMutability: "view",
    inputs: [{ name: "tokenIds", type: "uint256[]" }],
    outputs: [
      {
        name: "tickets",
        type: "tuple[]",
        components: [
          { name: "buyer", type: "address" },
          { name: "storeId", type: "uint16" },
          { name: "valueCents", type: "uint40" },
          { name: "cashbackBps", type: "uint16" },
          { name: "bonusBps", type: "uint16" },
          { name: "status", type: "uint8" },
        ],
      },
    ],
  },
] as const;
