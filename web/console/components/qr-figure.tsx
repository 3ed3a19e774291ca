// A QR code. It is dark on light in both themes: not every camera reads the other.

import { useMemo } from "react";
import { drawQr } from "../../shared/qr";

export function QrFigure({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawQr(text, "byte"), [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
