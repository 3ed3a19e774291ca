// Two faces that are or are not one person's: beside one another at the same scale, or in the same place one at a time, and
// zoomed together.

import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components/Button";
import type { CasePicture as Picture } from "../api/cases";
import { useShortcuts } from "../keys/shortcuts";
import { fill, useTexts } from "../texts";
import { CasePicture, moveBy, UNZOOMED, type Zoom, zoomBy } from "./case-picture";
import { Icon } from "./icon";

const ZOOM_STEP = 1.5;
/** By how much of itself a picture is moved, to show what lies on a side of it. */
const MOVE_STEP = 0.25;
const SIDES = [
  { side: "left", arrow: "←", x: MOVE_STEP, y: 0 },
  { side: "up", arrow: "↑", x: 0, y: MOVE_STEP },
  { side: "down", arrow: "↓", x: 0, y: -MOVE_STEP },
  { side: "right", arrow: "→", x: -MOVE_STEP, y: 0 },
] as const;

export interface ComparedFace {
  picture: Picture;
  label: string;
  caption?: string;
}

interface FaceComparisonProps {
  first: ComparedFace | undefined;
  second: ComparedFace | undefined;
  /** What is zoomed along with the faces. */
  children?(zoom: Zoom, onZoom: (zoom: Zoom) => void): ReactNode;
}

type Compared = "beside" | "first" | "second";

export function FaceComparison({ first, second, children }: FaceComparisonProps) {
  const { document: words } = useTexts();
  const [zoom, setZoom] = useState<Zoom>(UNZOOMED);
  const [compared, setCompared] = useState<Compared>("beside");
  const canFlicker = first !== undefined && second !== undefined;
  const flicker = () => setCompared((now) => (now === "first" ? "second" : "first"));
  useShortcuts([
    ...(canFlicker
      ? [
          { keys: "f", label: words.flicker, scope: "here" as const, run: flicker },
          { keys: "b", label: words.beside, scope: "here" as const, run: () => setCompared("beside") },
        ]
      : []),
    { keys: "+", label: words.zoomIn, scope: "here", run: () => setZoom((now) => zoomBy(now, ZOOM_STEP)) },
    { keys: "-", label: words.zoomOut, scope: "here", run: () => setZoom((now) => zoomBy(now, 1 / ZOOM_STEP)) },
    { keys: "0", label: words.zoomReset, scope: "here", run: () => setZoom(UNZOOMED) },
  ]);
  const face = (one: ComparedFace | undefined) =>
    one && (
      <CasePicture
        key={one.picture.name}
        name={one.picture.name}
        label={one.label}
        caption={one.caption ?? one.label}
        zoom={zoom}
        onZoom={setZoom}
      />
    );
  return (
    <>
      <div className="stage-tools">
        <Button className="icon-button" aria-label={words.zoomOut} onPress={() => setZoom(zoomBy(zoom, 1 / ZOOM_STEP))}>
          −
        </Button>
        <span className="zoom-value">{fill(words.zoomed, { scale: zoom.scale.toFixed(1) })}</span>
        <Button className="icon-button" aria-label={words.zoomIn} onPress={() => setZoom(zoomBy(zoom, ZOOM_STEP))}>
          +
        </Button>
        {/* What can be dragged can be done without dragging as well, and by keyboard. */}
        {zoom.scale > 1 && (
          <span className="sides" dir="ltr">
            {SIDES.map(({ side, arrow, x, y }) => (
              <Button
                key={side}
                className="icon-button"
                aria-label={words.look[side]}
                onPress={() => setZoom(moveBy(zoom, x, y))}
              >
                {arrow}
              </Button>
            ))}
          </span>
        )}
        {canFlicker && (
          <Button className="button small" onPress={flicker}>
            <Icon name="flicker" /> {words.flicker} <kbd>F</kbd>
          </Button>
        )}
        {canFlicker && compared !== "beside" && (
          <Button className="button small" onPress={() => setCompared("beside")}>
            {words.beside} <kbd>B</kbd>
          </Button>
        )}
      </div>
      {canFlicker && compared !== "beside" ? (
        <div className="stage-row flicker" aria-live="polite">
          {face(compared === "first" ? first : second)}
        </div>
      ) : (
        <div className="stage-row">
          {face(first)}
          {face(second)}
        </div>
      )}
      {children?.(zoom, setZoom)}
    </>
  );
}
