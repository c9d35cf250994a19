import type { ReactNode } from "react";
import { FormattedMessage } from "react-intl";

type SkeletonsProps = { count: number; className: string; children?: ReactNode };

/** Placeholders for content that is loading, with the parts of what comes; screen readers announce them once. */
export function Skeletons({ count, className, children }: SkeletonsProps) {
  return (
    <>
      <span className="sr-only" role="status">
        <FormattedMessage id="common.loading" />
      </span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <div key={index} aria-hidden="true" data-skeleton="" className={`skeleton ${className}`}>
          {children}
        </div>
      ))}
    </>
  );
}
