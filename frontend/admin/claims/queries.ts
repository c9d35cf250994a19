import { queryOptions } from "@tanstack/react-query";
import { OWN_KEY } from "../../api/queries.ts";
import { pictureOfClaim } from "../admin-calls.ts";

/** The picture that the buyer attached. */
export const claimPictureQuery = (id: number) =>
  queryOptions({ queryKey: [...OWN_KEY, "claim picture", id], queryFn: () => pictureOfClaim(id) });
