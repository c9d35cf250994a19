import type { AppConfig } from "../../domain/api/config.ts";

const EMPTY = '<script type="application/json" id="deployment"></script>';

/** The page with the configuration that `frontend/app/deployment.ts` reads before the first render. */
export function withDeployment(html: string, config: AppConfig): string {
  // Escaped, so that no text can close the element.
  const text = JSON.stringify(config).replaceAll("<", "\\u003c");
  return html.replace(EMPTY, () => EMPTY.replace("></", `>${text}</`));
}
