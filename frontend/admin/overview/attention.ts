import { useQuery } from "@tanstack/react-query";
import { type Attention, attentionQuery } from "../../api/attention.ts";

export type { Attention };

export const useAttention = () => useQuery({ ...attentionQuery, refetchInterval: 20_000 });
