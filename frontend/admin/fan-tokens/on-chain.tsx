import { useQuery } from "@tanstack/react-query";
import { isAddressShaped } from "../../../domain/wallet-address.ts";
import { readTokenContract } from "../admin-calls.ts";
import { refusalOf } from "../refusals.ts";

/** Metadata of a token's contract, so that a wrong address is noticed before saving. */
export function OnChain({ contract }: { contract: string }) {
  const token = useQuery({
    queryKey: ["own", "token-contract", contract.toLowerCase()],
    queryFn: ({ signal }) => readTokenContract(contract, signal),
    enabled: isAddressShaped(contract),
    staleTime: 60_000,
    retry: false,
  });
  if (!isAddressShaped(contract)) return null;
  if (token.isPending) {
    return (
      <p className="busy" role="status">
        <span className="spinner" aria-hidden="true" />
        Lendo o contrato na rede...
      </p>
    );
  }
  if (!token.data) {
    return (
      <p className="problem" role="alert">
        {refusalOf(token.error) ?? "A rede não reconhece um token neste endereço."}
      </p>
    );
  }
  const { symbol, name, decimals } = token.data;
  return (
    <p className="hint" role="status">
      A rede diz: <strong>{symbol}</strong>
      {name && `, ${name}`}, {decimals} {decimals === 1 ? "casa decimal" : "casas decimais"}.
    </p>
  );
}
