import type { ReactNode } from "react";
import { type ExternalToast, toast as show } from "sonner";

type ToastOptions = {
  /** A toast takes the place of the one with the same id. */
  id: string;
  description?: ReactNode;
};

/** All of it is set each time: left to itself, the library keeps what the earlier toast of that id had besides. */
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
