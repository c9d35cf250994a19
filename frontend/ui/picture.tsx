import { type ReactNode, useState } from "react";

type PictureProps = {
  src: string;
  alt: string;
  /** Shown if there is no image or it fails to load. Drawn inline, so that it cannot fail too. */
  fallback: ReactNode;
  className?: string;
  onBroken?: () => void;
  /** Visible as soon as the page is. */
  isEager?: boolean;
};

/** `ipfs://` goes through a public gateway. */
export function webAddress(address: string): string {
  return address.startsWith("ipfs://") ? `https://ipfs.io/ipfs/${address.slice(7).replace(/^ipfs\//, "")}` : address;
}

export function Picture({ src, alt, fallback, className, onBroken, isEager }: PictureProps) {
  const [broken, setBroken] = useState("");
  if (!src || broken === src) return fallback;
  return (
    <img
      src={webAddress(src)}
      alt={alt}
      className={className}
      loading={isEager ? "eager" : "lazy"}
      decoding="async"
      onError={() => {
        setBroken(src);
        onBroken?.();
      }}
    />
  );
}
