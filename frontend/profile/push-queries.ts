import { queryOptions } from "@tanstack/react-query";
import { getPushChoice } from "../api/push-calls.ts";
import { OWN_KEY } from "../api/queries.ts";
import { findDevice } from "../session/push-device.ts";

export const pushQuery = (wallet: string) =>
  queryOptions({ queryKey: [...OWN_KEY, "push", wallet], queryFn: getPushChoice });

/** Whether this browser gets them. */
export const pushDeviceQuery = (wallet: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "push device", wallet],
    queryFn: () => findDevice(wallet),
  });
