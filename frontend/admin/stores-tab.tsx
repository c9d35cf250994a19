import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { storesQuery } from "../api/queries.ts";
import type { Store } from "../api/shapes.ts";
import { useFormat } from "../i18n/use-format.ts";
import { Initial } from "../ui/initial.tsx";
import { Picture } from "../ui/picture.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import { createStore, deleteStore } from "./admin-calls.ts";
import { toastOutcome } from "./admin-toasts.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { StoreDetails } from "./store-details.tsx";
import { StoreDialog } from "./store-dialog.tsx";
import { Tabs } from "./tabs.tsx";

const LIST = { id: "list", label: "Lista de lojas" } as const;
const DETAILS = { id: "details", label: "Detalhes da loja" } as const;

/** A list, and the details of the selected store. Going back to the list clears the selection. */
export function StoresTab() {
  const [selectedId, setSelectedId] = useState<string>();
  const [isBack, setBack] = useState(false);
  const stores = useQuery({ ...storesQuery, refetchOnMount: "always" });
  const { isError, errorUpdateCount } = stores;
  useEffect(() => {
    if (isError && errorUpdateCount > 0)
      toast.error("Erro", { id: "admin-stores", description: "Não foi possível carregar as lojas." });
  }, [isError, errorUpdateCount]);
  const selected = stores.data?.find((store) => store.id === selectedId);
  const backToList = (isByButton: boolean) => {
    setBack(isByButton);
    setSelectedId(undefined);
  };
  return (
    <Tabs
      label="Lojas"
      tabs={selected ? [LIST, DETAILS] : [LIST]}
      selected={selected ? "details" : "list"}
      onSelect={(id) => id === "list" && backToList(false)}
    >
      {selected ? (
        <StoreDetails key={selected.id} store={selected} onBack={() => backToList(true)} />
      ) : stores.isPending ? (
        <div className="grid gap-3" aria-busy="true">
          <Skeletons count={4} className="h-16" />
        </div>
      ) : isError && !stores.data ? (
        <RetryPanel
          title="Não foi possível carregar as lojas."
          error={stores.error}
          onRetry={() => stores.refetch()}
          isRetrying={stores.isFetching}
        />
      ) : (
        <StoreList stores={stores.data ?? []} takesFocus={isBack} onSelect={setSelectedId} />
      )}
    </Tabs>
  );
}

type StoreListProps = {
  stores: Store[];
  /** After returning by a button that does not exist any more. */
  takesFocus: boolean;
  onSelect: (id: string) => void;
};

function StoreList({ stores, takesFocus, onSelect }: StoreListProps) {
  const client = useQueryClient();
  const { percent } = useFormat();
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Store>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  async function remove(store: Store): Promise<boolean> {
    const outcome = await deleteStore(store.id);
    toastOutcome(outcome, "Loja excluída com sucesso!", "Erro ao excluir loja.");
    if (outcome.success) await client.invalidateQueries({ queryKey: storesQuery.queryKey });
    return outcome.success;
  }
  return (
    <>
      <div className="section-head">
        <h2 ref={heading} tabIndex={-1} className="section-title">
          Lojas
        </h2>
        <button type="button" className="button" onClick={() => setCreating(true)}>
          Nova loja
        </button>
      </div>
      {stores.length === 0 ? (
        <EmptyPanel title="Nenhuma loja cadastrada" hint="Cadastre a primeira loja para os torcedores comprarem." />
      ) : (
        <ul className="admin-list">
          {stores.map((store) => (
            <li key={store.id}>
              <Picture src={store.logo} alt="" className="logo-image" fallback={<Initial name={store.name} />} />
              <div className="admin-list-text">
                <h3>{store.name}</h3>
                <p className="muted">{[store.country, store.category, store.club].filter(Boolean).join(" · ")}</p>
              </div>
              <span className="figures font-semibold">até {percent(store.maxCashback)}</span>
              <div className="admin-list-actions">
                <button type="button" className="button button-small button-quiet" onClick={() => onSelect(store.id)}>
                  Detalhes<span className="sr-only"> – {store.name}</span>
                </button>
                <button type="button" className="button button-small button-quiet" onClick={() => setDeleting(store)}>
                  Excluir<span className="sr-only"> – {store.name}</span>
                </button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {isCreating && (
        <StoreDialog
          title="Nova loja"
          action="Criar loja"
          onClose={() => setCreating(false)}
          onSubmit={async (fields) => {
            const outcome = await createStore(fields);
            toastOutcome(outcome, "Loja criada com sucesso!", "Erro ao criar loja.");
            if (outcome.success) await client.invalidateQueries({ queryKey: storesQuery.queryKey });
            return outcome.success;
          }}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={`Excluir ${deleting.name}?`}
          text="Tem certeza que deseja excluir esta loja? Esta ação não pode ser desfeita."
          onConfirm={() => remove(deleting)}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}
