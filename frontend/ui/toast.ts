import type { ReactNode } from "react";
import { type ExternalToast, toast as show } from "sonner";

type ToastOptions = {
  /** A toast replaces the one with the same id. */
  id: string;
  description?: ReactNode;
};

/** Sets every option each time, because the library keeps those of the earlier toast with the id. */
const whole = ({ id, description }: ToastOptions): ExternalToast => ({ id, description });

/** A short message, outside the routes. */
export const toast = Object.assign(
  (title: string, options: ToastOptions) => show(title, Object.assign(whole(options), { type: "default" })),
  {
    success: (title: string, options: ToastOptions) => show.success(title, whole(options)),
    warning: (title: string, options: ToastOptions) => show.warning(title, whole(options)),
    error: (title: string, options: ToastOptions) => show.error(title, whole(options)),
  },
);
