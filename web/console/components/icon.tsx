// The console's pictograms: drawn on a grid of 24, in the colour of the text beside them.

const PATHS = {
  queue: "M4 6h16M4 12h10M4 18h6M17 14l2.5 2.5L24 12",
  cases: "M4 5h16v14H4zM4 10h16M10 10v9",
  inbox: "M4 13l2-8h12l2 8v6H4zM4 13h5l1 2h4l1-2h5",
  mine: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c0-4 3-6 7-6s7 2 7 6",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-4 2.5-6 6-6s6 2 6 6M16 4.5a3.5 3.5 0 0 1 0 6.5M17.5 14.5c2.3.7 3.5 2.5 3.5 5.5",
  contents: "M4 4h16v16H4zM4 15l4.5-4.5 4 4 2.5-2.5 5 5M15.5 9.5h.01",
  upload: "M12 16V4M7.5 8.5 12 4l4.5 4.5M4 16v4h16v-4",
  members: "M3 6h18v12H3zM3.5 6.5 12 13l8.5-6.5",
  quality: "M4 20V10M10 20V4M16 20v-7M22 20H2",
  queues: "M4 5h16v5H4zM4 14h16v5H4zM8 7.5h.01M8 16.5h.01",
  roles: "M12 3l8 3v6c0 4.5-3.2 7.6-8 9-4.8-1.4-8-4.5-8-9V6zM8.5 12l2.5 2.5 4.5-4.5",
  organisations: "M4 20V5h9v15M13 9h7v11M2 20h20M7.5 9h2M7.5 13h2M16.5 13h.01M16.5 16.5h.01",
  applications: "M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM13.5 13.5H20V20h-6.5z",
  approvals: "M3 12s3-5 9-5 9 5 9 5-3 5-9 5-9-5-9-5zM9 12l2 2 4-4",
  jobs: "M4 7h11M4 12h16M4 17h8M18 5v4M15 15v4",
  health: "M2 12h5l3-7 4 14 3-7h5",
  settings: "M4 7h8M16 7h4M4 17h3M11 17h9M14 4v6M9 14v6",
  models: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  providers: "M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v4",
  trust: "M12 13a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM9 12.5 7.5 21l4.5-2.5 4.5 2.5-1.5-8.5",
  funnel: "M3 5h18l-7 8v6l-4-2v-4z",
  deliveries: "M3 11.5 21 4l-6 17-3.5-7zM11.5 14 21 4",
  audit: "M6 3h9l4 4v14H6zM14.5 3v4.5H19M9 12h7M9 16h7",
  key: "M8 15.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12.5 11H21v4M17 11v3",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  plus: "M12 5v14M5 12h14",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21",
  keyboard: "M3 7h18v11H3zM7 11h.01M11 11h.01M15 11h.01M8 15h8",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.5 4.5L19 7",
  warning: "M12 4 2.5 20h19zM12 10v4.5M12 17.2v.1",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5.5M12 7.6v.1",
  leave: "M14 4H5v16h9M10 12h11M17.5 8.5 21 12l-3.5 3.5",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3 19 19M19 5l-1.7 1.7M6.7 17.3 5 19",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  device: "M4 5h16v11H4zM9 20h6M12 16v4",
  back: "M15 5l-7 7 7 7",
  forward: "M9 5l7 7-7 7",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
  eye: "M2 12s3.5-6.5 10-6.5S22 12 22 12s-3.5 6.5-10 6.5S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  hold: "M8 5v14M16 5v14",
  hand: "M4 12h13M13 7l5 5-5 5M20 5v14",
  flicker: "M4 8h13l-3-3M20 16H7l3 3",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.5l3.5 2",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  equal: "M5 9h14M5 15h14",
  different: "M5 9h14M5 15h14M16 4 8 20",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false" data-icon={name}>
      <path d={PATHS[name]} />
    </svg>
  );
}
