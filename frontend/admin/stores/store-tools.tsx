import { useMutation, useQuery } from "@tanstack/react-query";
import { type ChangeEvent, useState } from "react";
import { LOGO_BYTES } from "../../../core/rules/uploads.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { toast } from "../../ui/toast.ts";
import { uploadLogo } from "../admin-calls.ts";
import { useDenial } from "../decisions/permissions.tsx";
import { Facts } from "../facts.tsx";
import { refusalOf } from "../refusals.ts";
import type { TestClick } from "../shapes.ts";
import { panelLocale, t } from "../texts.ts";
import { testClickQuery } from "./queries.ts";

const LOGO_TYPES = "image/png,image/jpeg,image/webp";

const refuse = (description: string | undefined) => toast.error(t("logo.failed"), { id: "admin", description });

/** Uploads a picture; the server checks its content, whatever its name. */
export function LogoUpload({ storeId, onDone }: { storeId: string; onDone: () => Promise<unknown> }) {
  const upload = useMutation({
    mutationFn: (file: File) => uploadLogo(storeId, file),
    async onSuccess() {
      toast.success(t("logo.done"), { id: "admin" });
      await onDone();
    },
    onError: (error) => refuse(refusalOf(error)),
  });
  const denial = useDenial("catalogue");
  function send({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0];
    target.value = "";
    if (!file) return;
    if (file.size > LOGO_BYTES) refuse(t("logo.tooLarge", { kb: LOGO_BYTES / 1_024 }));
    else upload.mutate(file);
  }
  return (
    <label className="button button-small button-quiet file-button" title={denial}>
      {upload.isPending ? t("logo.sending") : t("logo.action")}
      <input type="file" accept={LOGO_TYPES} disabled={upload.isPending || denial !== undefined} onChange={send} />
    </label>
  );
}

type TestClickProps = { storeId: string; onFollowed: () => void };

/** Tests where a buyer would be sent, with a click that belongs to nobody. */
export function TestClickButton({ storeId, onFollowed }: TestClickProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button button-small button-quiet" onClick={() => setOpen(true)}>
        {t("testLink.action")}
      </button>
      {isOpen && <TestClickDialog storeId={storeId} onFollowed={onFollowed} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Open while the request runs, so that a late response cannot open a dialog above another one. */
function TestClickDialog({ storeId, onFollowed, onClose }: TestClickProps & { onClose: () => void }) {
  const test = useQuery(testClickQuery(storeId));
  const follow = (url: string) => {
    open(url, "_blank", "noopener,noreferrer");
    onFollowed();
  };
  return (
    <Dialog
      title={t("testLink.title")}
      lang={panelLocale()}
      onClose={onClose}
      actions={
        test.data?.url && (
          // No link: lists of blockers hide those to a network's host.
          <button type="button" className="button" onClick={() => follow(String(test.data.url))}>
            {t("testLink.open")}
          </button>
        )
      }
    >
      {test.data ? (
        <Destination result={test.data} />
      ) : test.isPending ? (
        <p className="busy" role="status">
          <span className="spinner" aria-hidden="true" />
          {t("testLink.testing")}
        </p>
      ) : (
        <p className="problem" role="alert">
          {t("testLink.failed")} {refusalOf(test.error)}
        </p>
      )}
    </Dialog>
  );
}

function Destination({ result }: { result: TestClick }) {
  if (result.url === null) {
    return <p className="problem">{t("testLink.none")}</p>;
  }
  return (
    <div className="grid gap-4">
      <Facts
        rows={[
          [t("testLink.address"), result.url],
          [t("testLink.visit"), result.click_id],
        ]}
      />
      {result.carries_click ? (
        <p className="hint">{t("testLink.carriesClick")}</p>
      ) : (
        <p className="problem">{t("testLink.lacksClick")}</p>
      )}
    </div>
  );
}
