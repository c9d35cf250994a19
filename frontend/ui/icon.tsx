const SHAPES = {
  close: "M6 6l12 12M18 6L6 18",
  sun: "M12 4V2M12 22v-2M4 12H2M22 12h-2M6 6L4.600 4.600M19.400 19.400L18 18M6 18l-1.400 1.400M19.400 4.600L18 6M12 7.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9z",
  moon: "M20 14.500A8.500 8.500 0 1 1 9.500 4 6.800 6.800 0 0 0 20 14.500z",
  external: "M14 4h6v6M20 4l-9 9M18 14v5H5V6h5",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20.500 20.500L16 16",
  wallet: "M4 7h15v12H4zM4 7l11-3v3M15 13h4",
  refresh: "M20 11a8 8 0 0 0-14.500-4L4 8.500M4 4v4.500h4.500M4 13a8 8 0 0 0 14.500 4L20 15.500M20 20v-4.500h-4.500",
  check: "M5 12.500l4.500 4.500L19 7.500",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.500l3 1.800",
  info: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11v5M12 7.800v.200",
  home: "M4 11l8-7 8 7M6.500 9.500V20h11V9.500",
  store: "M5 10v10h14V10M3.500 9L5.500 4h13l2 5zM10 20v-5h4v5",
  ticket:
    "M4 7h16v3.500a1.800 1.800 0 0 0 0 3.500V17.500H4V14a1.800 1.800 0 0 0 0-3.500zM14.500 8v2M14.500 11.500v2M14.500 15v2",
  filter: "M4 6h16M7 12h10M10 18h4",
  copy: "M8 8V4h12v12h-4M4 8h12v12H4z",
  menu: "M4 7h16M4 12h16M4 17h16",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  alert: "M12 4L2.500 20h19zM12 10v5M12 17.300v.200",
  bell: "M6 17V11a6 6 0 0 1 12 0v6M4 17h16M10 20.500h4M12 5V3",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 20.500a7.500 7.500 0 0 1 15 0",
  edit: "M5 19l1-4L16 5l3 3L9 18z",
} as const;

export type IconName = keyof typeof SHAPES;

/** A line drawing next to words; never the only carrier of a meaning. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="square"
    >
      <path d={SHAPES[name]} />
    </svg>
  );
}
