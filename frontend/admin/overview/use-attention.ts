import { useQuery } from "@tanstack/react-query";
import { attentionQuery } from "../../api/attention.ts";

export const useAttention = () => useQuery({ ...attentionQuery, refetchInterval: 20_000 });
