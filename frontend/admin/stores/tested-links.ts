import { useState } from "react";
import { readStored, STORAGE_KEYS, store } from "../../app/storage.ts";

/** The links that were followed in this browser, the newest last: a link that changes is tested again. */
const KEPT = 300;

const read = (): string[] => (readStored(STORAGE_KEYS.testedLinks) ?? "").split("\n").filter(Boolean);

/** Whether this link was followed from here, and how to say so. */
export function useTestedLink(url: string | null | undefined): [isTested: boolean, onFollowed: () => void] {
  const [followed, setFollowed] = useState<string>();
  const isTested = url != null && (url === followed || read().includes(url));
  return [
    isTested,
    () => {
      if (url == null || isTested) return;
      store(STORAGE_KEYS.testedLinks, [...read(), url].slice(-KEPT).join("\n"));
      setFollowed(url);
    },
  ];
}
